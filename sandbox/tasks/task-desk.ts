/**
 * Where the protocols hand in tasks: checks them, starts them, and answers a creation or a poll as
 * well or as badly as was asked.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import type { JsonObject } from "../is-object.ts";
import { sendJson } from "../send-json.ts";
import type { Submission, TaskBoard } from "./task-board.ts";
import { runTask, type RunTaskOptions } from "./run-task.ts";
import { sendWebhooks } from "./send-webhooks.ts";
import { loseAnswer, refuseOnPurpose, spoilPoll } from "./spoil-answers.ts";
import { parseTaskDirectives, type TaskDirectives } from "./task-directives.ts";
import type { TaskDialect } from "./task-dialect.ts";
import type { KeptTask, TakenTask } from "./task-journal.ts";
import type { Task } from "./task.ts";

/** A creation as a protocol has read it. */
export interface TaskOrder {
  readonly model: string;
  readonly input: JsonObject;
  readonly callbackUrl: string | null;
  readonly apiKey: string;
}

export interface TaskDesk {
  /**
   * Goes on with the protocol's tasks of an earlier run. Once, before anything else is asked of it.
   */
  resume(dialect: TaskDialect): void;
  create(
    dialect: TaskDialect,
    order: TaskOrder,
    req: IncomingMessage,
    res: ServerResponse,
  ): Promise<string>;
  /**
   * Answers with `shape(task)`; a task of another caller's key is as unknown as one that does not
   * exist.
   */
  poll(
    dialect: TaskDialect,
    about: { readonly id: string; readonly apiKey: string; readonly missing: string },
    shape: (task: Task) => { readonly status: number; readonly body: unknown },
    res: ServerResponse,
  ): Promise<string>;
  find(dialect: TaskDialect, id: string, apiKey: string): Task | null;
  /** False: it had ended, or was told not to be canceled. */
  cancel(dialect: TaskDialect, task: Task): boolean;
}

const EARLY_LIMIT_MS = 30_000;

export function createTaskDesk(board: TaskBoard, running: RunTaskOptions): TaskDesk {
  const find = (dialect: TaskDialect, id: string, apiKey: string): Task | null => {
    const task = board.find(dialect.protocol, id);
    return task === null || task.apiKey !== apiKey ? null : task;
  };

  const resumeOne = (dialect: TaskDialect, { taken, end }: KeptTask): void => {
    const parsed = parseTaskDirectives(taken.header, taken.input, taken.model);
    const reading = dialect.readModel(taken.model, taken.input);
    if (!parsed.ok || reading === null) return;
    const task = newTask(taken, parsed.directives, end === null);
    board.add(task);
    if (end === null) return void runTask(task, reading, dialect, running);
    const { plan, ...state } = end;
    Object.assign(task, state);
    task.results = plan.map((spec) => parsed.directives.resultUrl ?? running.shelf.put(task, spec));
  };

  return {
    find,
    resume(dialect) {
      for (const kept of running.journal?.kept(dialect.protocol) ?? []) resumeOne(dialect, kept);
    },
    async create(dialect, order, req, res) {
      const sent = req.headers["x-sandbox"];
      const header = typeof sent === "string" ? sent : "";
      const parsed = parseTaskDirectives(header, order.input, order.model);
      const submission: Submission = {
        at: running.now(),
        protocol: dialect.protocol,
        model: order.model,
        input: order.input,
        callbackUrl: order.callbackUrl,
        tag: parsed.ok ? parsed.directives.tag : null,
        outcome: "",
        refusal: null,
        taskId: null,
      };
      board.note(submission);
      const end = (outcome: string): string => {
        submission.outcome = outcome;
        return `${dialect.protocol} ${order.model} ${outcome}`;
      };
      if (!parsed.ok) {
        submission.refusal = parsed.message;
        const { status, body } = dialect.rejected([{ field: "", message: parsed.message }]);
        sendJson(res, status, body);
        return end("unknown directive");
      }
      const { directives } = parsed;
      const attempt = board.countAttempt(order.model, order.input);
      await setTimeout(directives.createDelayMs, undefined, { ref: false });
      if (attempt <= directives.createTimes) {
        const fault = await refuseOnPurpose(dialect, directives, res);
        if (fault !== null) return end(fault);
      }
      const reading = dialect.readModel(order.model, order.input);
      const mistakes =
        reading === null
          ? [
              {
                field: "model",
                message: `The model name you specified is not supported: ${order.model}`,
              },
            ]
          : reading.mistakes;
      if (reading === null || mistakes.length > 0) {
        const { status, body } = dialect.rejected(mistakes);
        sendJson(res, status, body);
        submission.refusal = mistakes.map((one) => one.message).join("; ");
        return end("rejected");
      }
      const origin = `http://${req.headers.host ?? "127.0.0.1"}`;
      const taken = {
        ...order,
        id: dialect.newId(),
        protocol: dialect.protocol,
        header,
        origin,
        createdAt: running.now(),
      };
      const task = newTask(taken, directives, false);
      submission.taskId = task.id;
      board.add(task);
      running.journal?.take(task);
      const ended = runTask(task, reading, dialect, running);
      if (directives.webhook === "early")
        await Promise.race([ended, setTimeout(EARLY_LIMIT_MS, undefined, { ref: false })]);
      if (attempt <= directives.createTimes && directives.create !== null)
        return end(await loseAnswer(dialect, directives.create, task, res));
      const { status, body } = dialect.created(task);
      sendJson(res, status, body);
      return end("accepted");
    },

    async poll(dialect, about, shape, res) {
      const task = find(dialect, about.id, about.apiKey);
      const missing = (code: number): string => {
        const { status, body } = dialect.refused(code, about.missing);
        sendJson(res, status, body);
        return `${dialect.protocol} poll ${code}`;
      };
      if (task === null) return missing(dialect.protocol === "kie" ? 422 : 404);
      task.polls++;
      const { directives } = task;
      await setTimeout(directives.pollDelayMs, undefined, { ref: false });
      if (task.polls <= directives.hidden)
        return missing(dialect.protocol === "kie" ? directives.hiddenCode : 404);
      if (task.polls - directives.hidden <= directives.pollTimes) {
        const fault = await spoilPoll(dialect, directives, res);
        if (fault !== null) return `${dialect.protocol} poll ${fault}`;
      }
      const { status, body } = shape(task);
      if (typeof body === "string") {
        res.writeHead(status, { "content-type": "application/json" }).end(body);
      } else sendJson(res, status, body);
      return `${dialect.protocol} poll ${status} ${task.phase}`;
    },

    cancel(dialect, task) {
      const over =
        task.phase === "succeeded" || task.phase === "failed" || task.phase === "canceled";
      if (over || task.directives.cancel === "refused") return false;
      task.phase = "canceled";
      task.endedAt = running.now();
      task.stop.abort();
      running.journal?.end(task, []);
      void sendWebhooks(task, dialect, running);
      return true;
    },
  };
}

function newTask(taken: TakenTask, directives: TaskDirectives, resumed: boolean): Task {
  return {
    ...taken,
    directives,
    resumed,
    startedAt: null,
    endedAt: null,
    phase: "queued",
    failure: null,
    results: [],
    cost: "0",
    polls: 0,
    webhooks: [],
    downloads: 0,
    stop: new AbortController(),
  };
}
