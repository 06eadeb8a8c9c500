/**
 * A provider of tasks inside the test: an adapter that answers as it is told, counts what it is
 * asked, and serves real files on loopback.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { newUuid, type Uuid } from "../../src/kernel/ids.ts";
import type { CancelMeaning } from "../../src/protocol/task-provider.ts";
import type {
  LookUpOutcome,
  PollOutcome,
  SubmitOutcome,
  TaskAdapter,
  TaskHandle,
  TaskSubmission,
  TaskTarget,
} from "../../src/upstreams/tasks/task-adapter.ts";

/** A submission as it arrived. */
export interface Heard extends TaskSubmission {
  readonly upstream: string;
  readonly credential: string;
  readonly model: string;
}

export interface Script {
  submit?(heard: Heard, signal: AbortSignal): SubmitOutcome | Promise<SubmitOutcome>;
  poll?(handle: TaskHandle, times: number, signal: AbortSignal): PollOutcome | Promise<PollOutcome>;
  lookUp?(attemptId: Uuid, target: TaskTarget): LookUpOutcome | Promise<LookUpOutcome>;
  cancel?(handle: TaskHandle): CancelMeaning | Promise<CancelMeaning>;
}

export interface ScriptedProvider extends AsyncDisposable {
  readonly adapter: TaskAdapter;
  readonly origin: string;
  /** `host:port`, for `resultHosts`. */
  readonly host: string;
  /**
   * What it does; absent: it takes every task, says that it runs once, and then gives
   * `/result.png`.
   */
  script: Script;
  readonly submissions: Heard[];
  readonly polls: string[];
  readonly canceled: string[];
  /** What its file server answers, by path. */
  readonly files: Map<string, Buffer | ((response: ServerResponse) => void)>;
  readonly fetched: string[];
}

function handleFor(upstreamTaskId: string): TaskHandle {
  return { upstreamTaskId, model: "m", submittedAt: new Date().toISOString(), urls: {} };
}

export function succeeded(...urls: string[]): PollOutcome {
  return { kind: "succeeded", urls, authorize: false, cost: { amount: "3", unit: "credits" } };
}

export const RUNNING: PollOutcome = { kind: "running", progress: 0.5, queuePosition: null };

export async function startScriptedProvider(result: Buffer): Promise<ScriptedProvider> {
  const files: ScriptedProvider["files"] = new Map([["/result.png", result]]);
  const fetched: string[] = [];
  const submissions: Heard[] = [];
  const polls: string[] = [];
  const canceled: string[] = [];
  const times = new Map<string, number>();

  const server = createServer((request, response) => {
    const path = request.url ?? "";
    fetched.push(path);
    const answer = files.get(path);
    if (typeof answer === "function") return answer(response);
    if (answer === undefined) return void response.writeHead(404).end();
    response
      .writeHead(200, {
        "content-type": "application/octet-stream",
        "content-length": answer.length,
      })
      .end(answer);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const origin = `http://${host}`;

  const provider: ScriptedProvider = {
    adapter: {
      modelOf: ({ model }, { variant }) => model.replace("{variant}", String(variant)),
      async submit(target: TaskTarget, submission, signal) {
        const heard = {
          ...submission,
          upstream: target.upstream.name,
          credential: target.credential,
          model: target.model,
        };
        submissions.push(heard);
        return (
          provider.script.submit?.(heard, signal) ?? {
            kind: "accepted",
            handle: handleFor(`far-${newUuid()}`),
          }
        );
      },
      async poll(_target, handle, signal) {
        assert.equal(typeof handle.upstreamTaskId, "string");
        polls.push(handle.upstreamTaskId);
        const asked = (times.get(handle.upstreamTaskId) ?? 0) + 1;
        times.set(handle.upstreamTaskId, asked);
        const outcome = await provider.script.poll?.(handle, asked, signal);
        return outcome ?? (asked === 1 ? RUNNING : succeeded(`${origin}/result.png`));
      },
      async lookUp(target, attemptId) {
        return provider.script.lookUp?.(attemptId, target) ?? { kind: "unknown" };
      },
      async cancel(_target, handle) {
        canceled.push(handle.upstreamTaskId);
        return provider.script.cancel?.(handle) ?? "too_late";
      },
      readCallback: () => null,
      authorization: ({ credential }) => ({ authorization: `Bearer ${credential}` }),
      schedule: { firstMs: 5, minMs: 5, maxMs: 20 },
      scheduleOf: () => ({ firstMs: 5, minMs: 5, maxMs: 20 }),
      graceMsOf: () => 60_000,
    },
    origin,
    host,
    script: {},
    submissions,
    polls,
    canceled,
    files,
    fetched,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return provider;
}
