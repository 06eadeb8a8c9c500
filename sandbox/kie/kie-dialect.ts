/**
 * kie's answers: an envelope of code, msg and data, often with HTTP 200 whatever the code; a result
 * as JSON inside a string.
 */
import { createHmac, randomBytes } from "node:crypto";
import { readKnownModel } from "../tasks/find-model.ts";
import type { TaskDialect } from "../tasks/task-dialect.ts";
import { progressOf, type Task } from "../tasks/task.ts";

export interface KieOptions {
  /** For webhooks; absent: the key of the task's creator. */
  readonly webhookKey?: string;
  readonly runMs: number;
}

const STATES = {
  queued: "queuing",
  running: "generating",
  succeeded: "success",
  failed: "fail",
  canceled: "fail",
} as const;

/** How long a new task says `waiting` before `queuing`. */
const WAITING_MS = 100;

export function createKieDialect(options: KieOptions): TaskDialect {
  return {
    protocol: "kie",
    newId: () => randomBytes(16).toString("hex"),
    readModel: readKnownModel,
    created: (task) => ({ status: 200, body: envelope(200, "success", { taskId: task.id }) }),
    withoutId: () => envelope(200, "success", {}),
    rejected: (mistakes) => ({
      status: 200,
      body: envelope(422, mistakes.map((one) => one.message).join("; "), null),
    }),
    refused: (code, message) => ({ status: 200, body: envelope(code, message, null) }),
    errorBody: (status, message) => envelope(status, message, null),
    webhook(task, now) {
      const timestamp = Math.floor(now / 1000);
      const signature = createHmac("sha256", options.webhookKey ?? task.apiKey)
        .update(`${task.id}.${timestamp}`)
        .digest("base64");
      const failed = task.phase === "failed";
      const message = failed
        ? (task.failure?.message ?? "failed")
        : "Playground task completed successfully.";
      return {
        headers: { "x-webhook-timestamp": String(timestamp), "x-webhook-signature": signature },
        body: JSON.stringify(
          envelope(failed ? 501 : 200, message, kieRecord(task, now, options.runMs)),
        ),
      };
    },
  };
}

/** The envelope around everything. */
function envelope(code: number, msg: string, data: unknown): object {
  return { code, msg, data };
}

/** `GET /api/v1/jobs/recordInfo`. */
export function kieRecordAnswer(
  task: Task,
  now: number,
  runMs: number,
): { readonly status: number; readonly body: unknown } {
  return { status: 200, body: envelope(200, "success", kieRecord(task, now, runMs)) };
}

function kieRecord(task: Task, now: number, runMs: number): object {
  const over = task.endedAt !== null;
  const early = task.phase === "queued" && now - task.createdAt < WAITING_MS;
  return {
    taskId: task.id,
    model: task.model,
    state: over
      ? STATES[task.phase]
      : (task.directives.state ?? (early ? "waiting" : STATES[task.phase])),
    param: JSON.stringify({
      model: task.model,
      callBackUrl: task.callbackUrl ?? undefined,
      input: task.input,
    }),
    resultJson: resultJson(task),
    failCode: task.failure?.code ?? "",
    failMsg: task.failure?.message ?? "",
    costTime: over ? (task.endedAt ?? now) - task.createdAt : 0,
    completeTime: task.endedAt ?? 0,
    createTime: task.createdAt,
    updateTime: task.endedAt ?? task.startedAt ?? task.createdAt,
    creditsConsumed: figure(task.cost),
    progress: progressOf(task, now, runMs),
  };
}

function resultJson(task: Task): string {
  if (task.phase !== "succeeded") return "";
  switch (task.directives.output) {
    case "none":
      return '{"resultUrls":[]}';
    case "null":
      return "";
    case "missing":
      return "{}";
    case "garbage":
      return '{"resultUrls":["http';
    case "string":
      return JSON.stringify(task.results[0] ?? "");
    case "object":
      return JSON.stringify({ resultObject: { url: task.results[0] } });
    case null:
      return JSON.stringify({ resultUrls: task.results });
  }
}

const figure = (cost: string): number | string =>
  Number.isFinite(Number(cost)) ? Number(cost) : cost;
