/**
 * Customers who never pause while gateways come and go: chats, whole and streamed, and tasks that
 * are ordered and waited for. Every answer is kept.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { postChat } from "../support/post-chat.ts";
import { until } from "../support/until.ts";

const CHAT_CLIENTS = 4;
const TASK_CLIENTS = 2;
const PATIENCE_MS = 120_000;
const TASK_PATIENCE = 60;
/** After an answer that was none, so that a broken way is not asked a thousand times. */
const PAUSE_MS = 20;
const CHAT_MODEL = "sandbox-small";
const TASK_MODEL = "nano-banana-2";

export interface Load {
  /** How often each answer came: a kind of request and a status, `broken`, or the error. */
  readonly outcomes: ReadonlyMap<string, number>;
  /** Of chats that were answered with 200, as the header has them. */
  readonly chats: readonly string[];
  /** Of those that ended. */
  readonly tasks: readonly EndedTask[];
  /** Waits until there is so much more of each kind than now. */
  moreOfEach(chats: number, tasks: number): Promise<void>;
  /** Lets what was begun come to its end. */
  stop(): Promise<void>;
}

export interface EndedTask {
  readonly taskId: string;
  /** Of the task and of its cost: `completed charged`. */
  readonly ended: string;
}

/** @param url of the balancer */
export function startLoad(url: string, secret: string): Load {
  const outcomes = new Map<string, number>();
  const chats: string[] = [];
  const tasks: EndedTask[] = [];
  let over = false;

  const count = (outcome: string): void =>
    void outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);

  async function chat(number: number): Promise<void> {
    for (let turn = 0; !over; turn += 1) {
      const stream = (number + turn) % 2 === 0;
      const body = {
        model: CHAT_MODEL,
        max_tokens: 50,
        messages: [{ role: "user", content: "Hello. [[sandbox: tokens=8 chunkDelay=30]]" }],
        ...(stream ? { stream } : {}),
      };
      const kind = stream ? "streamed" : "whole";
      const outcome = await postChat(url, secret, body).answer.then(
        ({ status, broken, requestId }) => {
          if (status === 200 && !broken) chats.push(requestId);
          return broken ? "broken" : String(status);
        },
        (error: unknown) => String(error),
      );
      count(`${kind} ${outcome}`);
      if (outcome !== "200") await sleep(PAUSE_MS);
    }
  }

  /** Null where it was no good answer; the outcome is counted in any case. */
  async function ask<T>(kind: string, path: string, body?: object): Promise<T | null> {
    try {
      const response = await fetch(`${url}${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: {
          "x-api-key": secret,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      count(`${kind} ${response.status}`);
      if (response.ok) return (JSON.parse(text) as { data: T }).data;
    } catch (error) {
      count(`${kind} ${String(error)}`);
    }
    await sleep(PAUSE_MS);
    return null;
  }

  async function task(): Promise<void> {
    while (!over) {
      const ordered = await ask<{ taskId: string }>("order", `/v1/tasks/${TASK_MODEL}`, {
        prompt: "A cat. [[sandbox: run=200 tag=roll]]",
      });
      if (ordered !== null) tasks.push(await endOf(ordered.taskId));
    }
  }

  async function endOf(taskId: string): Promise<EndedTask> {
    for (let tries = 0; tries < TASK_PATIENCE; tries += 1) {
      const view = await ask<{
        state: string;
        completedAt: string | null;
        cost: { state: string };
      }>("wait", `/v1/tasks/${taskId}?wait=5`);
      if (view !== null && view.completedAt !== null)
        return { taskId, ended: `${view.state} ${view.cost.state}` };
    }
    return { taskId, ended: "never" };
  }

  const running = Promise.all([
    ...Array.from({ length: CHAT_CLIENTS }, (_, number) => chat(number)),
    ...Array.from({ length: TASK_CLIENTS }, () => task()),
  ]);
  return {
    outcomes,
    chats,
    tasks,
    async moreOfEach(moreChats, moreTasks) {
      const enough = { chats: chats.length + moreChats, tasks: tasks.length + moreTasks };
      await until(
        "more answers",
        async () => chats.length >= enough.chats && tasks.length >= enough.tasks,
        PATIENCE_MS,
      ).catch((cause: unknown) => {
        throw new Error(`too few answers: ${JSON.stringify([...outcomes])}`, { cause });
      });
    },
    async stop() {
      over = true;
      await running;
    },
  };
}
