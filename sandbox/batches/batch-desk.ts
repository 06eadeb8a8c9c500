/** The batches that the sandbox was sent, of all its keys, and the requests in them, which it asks of itself. */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { batchDirectives, type BatchDirectives } from "./batch-directives.ts";

export interface DeskRequest {
  readonly customId: string;
  /** Its path. */
  readonly url: string;
  readonly body: string;
}

export interface DeskResult {
  readonly customId: string;
  /** Null: it did not run. */
  readonly answer: { readonly status: number; readonly body: string } | null;
}

export type DeskState = "in_progress" | "canceling" | "completed" | "cancelled" | "expired";

export interface DeskBatch {
  readonly id: string;
  readonly key: string;
  readonly madeAt: Date;
  readonly requests: readonly DeskRequest[];
  readonly results: DeskResult[];
  readonly directives: BatchDirectives;
  state: DeskState;
  endedAt: Date | null;
}

export interface BatchDesk {
  begin(order: {
    readonly prefix: string;
    readonly key: string;
    /** Where the sandbox answers. */
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly requests: readonly DeskRequest[];
  }): DeskBatch;
  find(key: string, id: string): DeskBatch | undefined;
  /** Newest first. */
  list(key: string, prefix: string): readonly DeskBatch[];
  cancel(batch: DeskBatch): void;
  close(): void;
}

const AT_ONCE = 4;
const MOST_KEPT = 1_000;

export function newId(prefix: string): string {
  return `${prefix}${randomBytes(12).toString("hex")}`;
}

export function createBatchDesk(): BatchDesk {
  const batches: DeskBatch[] = [];
  const halt = new AbortController();

  async function run(
    batch: DeskBatch,
    url: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<void> {
    const { requests, directives, results } = batch;
    await sleep(directives.slowMs, undefined, { signal: halt.signal });
    let next = 0;
    const worker = async (): Promise<void> => {
      for (;;) {
        const index = next++;
        const request = requests[index];
        if (request === undefined) return;
        const stops =
          batch.state !== "in_progress" ||
          (directives.expireAfter !== null && index >= directives.expireAfter);
        results[index] = {
          customId: request.customId,
          answer: stops ? null : await ask(url, headers, request, halt.signal),
        };
      }
    };
    if (directives.stuck) await untilStopped(batch);
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    batch.endedAt = new Date();
    if (batch.state === "canceling") batch.state = "cancelled";
    else batch.state = directives.expireAfter === null ? "completed" : "expired";
  }

  async function untilStopped(batch: DeskBatch): Promise<void> {
    while (batch.state === "in_progress") await sleep(20, undefined, { signal: halt.signal });
  }

  return {
    begin({ prefix, key, url, headers, requests }) {
      const batch: DeskBatch = {
        id: newId(prefix),
        key,
        madeAt: new Date(),
        requests,
        results: [],
        directives: batchDirectives(requests[0]?.body ?? ""),
        state: "in_progress",
        endedAt: null,
      };
      batches.unshift(batch);
      batches.splice(MOST_KEPT);
      void run(batch, url, headers).catch(() => undefined);
      return batch;
    },
    find: (key, id) => batches.find((batch) => batch.id === id && batch.key === key),
    list: (key, prefix) =>
      batches.filter((batch) => batch.key === key && batch.id.startsWith(prefix)),
    cancel(batch) {
      if (batch.endedAt === null) batch.state = "canceling";
    },
    close: () => halt.abort(),
  };
}

async function ask(
  url: string,
  headers: Readonly<Record<string, string>>,
  request: DeskRequest,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly body: string }> {
  try {
    const answer = await fetch(`${url}${request.url}`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: request.body,
      signal,
    });
    return { status: answer.status, body: await answer.text() };
  } catch {
    return {
      status: 500,
      body: '{"error":{"message":"the request broke off","type":"api_error"}}',
    };
  }
}
