/**
 * A worker process of its own, for tests that kill it: at every point it tells its parent where it
 * is, and goes on when it is told to.
 */
import { openDatabase } from "../../src/db/database.ts";
import { createIntake, type Intake } from "../../src/serving/files/intake.ts";
import { createTakeMedia } from "../../src/serving/files/take-media.ts";
import { ENGINE_LIMITS } from "../../src/serving/tasks/advance-deps.ts";
import { createCircuitBreakers } from "../../src/serving/routing/circuit-breakers.ts";
import { createConcurrencyLimiter } from "../../src/serving/routing/concurrency-limiter.ts";
import { createTaskEngine } from "../../src/serving/tasks/advance-tasks.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import { createMediaWorkers } from "../../src/media/media-workers.ts";
import { createOutgoing } from "../../src/net/outgoing.ts";
import { createSafeFetch } from "../../src/net/safe-fetch.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type {
  LookUpOutcome,
  PollOutcome,
  SubmitOutcome,
  TaskAdapter,
} from "../../src/upstreams/tasks/task-adapter.ts";
import { startTaskWorker } from "../../src/serving/tasks/task-worker.ts";
import { modelOf, upstreamOf } from "./engine-scene.ts";

/** What it is told on its command line, as JSON. */
export interface EngineProcessOptions {
  readonly databaseUrl: string;
  readonly storageUrl: string;
  readonly staticUrl: string;
  /** `http://host:port` of the provider. */
  readonly provider: string;
  readonly leaseMs: number;
  readonly lookUp: boolean;
}

/** Where it can be killed. */
export const POINTS = [
  "taking-media",
  "before-submit",
  "after-submit",
  "polling",
  "before-settle",
  "in-settle",
  "after-settle",
] as const;
export type Point = (typeof POINTS)[number];

const options = JSON.parse(process.argv[2] ?? "{}") as EngineProcessOptions;
const waiting: (() => void)[] = [];
process.on("message", () => waiting.shift()?.());
process.on("disconnect", () => process.exit(1));

function at(point: Point): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    process.send?.({ at: point });
  });
}

const { databaseUrl, staticUrl, provider, leaseMs } = options;
const host = new URL(provider).host;
const db = openDatabase({
  url: databaseUrl,
  poolSize: 5,
  applicationName: "a worker to be killed",
  onError: () => undefined,
});
const storage = await openStorage(options.storageUrl);
const media = createMediaWorkers({ readable: [options.storageUrl.slice("file:".length)] });
const safeFetch = createSafeFetch({ allow: ["127.0.0.0/8"] });
const onError = (what: string, error: unknown): void =>
  void process.stderr.write(`${what}: ${String(error)}\n`);
const intake = createIntake({
  db,
  storage,
  media,
  ownerId: newUuid(),
  retentionDays: 1,
  quotaBytes: 2 ** 40,
  onError,
});
const takeMedia = createTakeMedia({
  db,
  storage,
  media,
  intake,
  safeFetch,
  staticUrl: () => staticUrl,
  limitBytes: 2 ** 24,
});

/** Stops around the transaction that completes a task. */
const resultIntake: Intake = {
  async receive(order) {
    const received = await intake.receive(order);
    return {
      ...received,
      async commit(within) {
        await at("before-settle");
        const file = await received.commit(async (tx, stored) => {
          await within?.(tx, stored);
          await at("in-settle");
        });
        await at("after-settle");
        return file;
      },
    };
  },
};

async function ask<T>(path: string, body?: object): Promise<T> {
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  return (await (await fetch(provider + path, init)).json()) as T;
}

const adapter: TaskAdapter = {
  modelOf: ({ model }) => model,
  async submit(_target, { attemptId }): Promise<SubmitOutcome> {
    await at("before-submit");
    const outcome = await ask<SubmitOutcome>("/submit", { attemptId });
    await at("after-submit");
    return outcome;
  },
  async poll(_target, { upstreamTaskId }): Promise<PollOutcome> {
    const outcome = await ask<PollOutcome>(`/poll/${upstreamTaskId}`);
    await at("polling");
    return outcome;
  },
  ...(options.lookUp
    ? { lookUp: (_target, attemptId) => ask<LookUpOutcome>(`/attempts/${attemptId}`) }
    : {}),
  readCallback: () => null,
  authorization: () => ({}),
  schedule: { firstMs: 5, minMs: 5, maxMs: 20 },
  scheduleOf: () => ({ firstMs: 5, minMs: 5, maxMs: 20 }),
  graceMsOf: () => 60_000,
};

const engine = createTaskEngine({
  db,
  clock: systemClock,
  adapters: { kie: adapter, fal: adapter, replicate: adapter, "http-task": adapter },
  catalogue: {
    current: () => ({
      catalogue: {
        families: { prefix: "x", tiers: [] },
        upstreams: new Map([["there", upstreamOf("there", host)]]),
        models: new Map([["picture", modelOf("picture", "T19", [{}])]]),
      },
    }),
  },
  credential: () => "secret",
  health: createCircuitBreakers({
    clock: systemClock,
    kinds: new Set(["task"]),
    onCircuit: () => undefined,
  }),
  places: createConcurrencyLimiter(),
  async takeMedia(call) {
    const taken = await takeMedia(call);
    await at("taking-media");
    return taken;
  },
  resultIntake,
  safeFetch,
  outgoing: createOutgoing(),
  resultLimitBytes: 2 ** 24,
  staticUrl: () => staticUrl,
  callbackUrl: () => null,
  random: Math.random,
  onAlert: (alert) => process.send?.({ alert: alert.kind }),
  onWords: () => undefined,
  onStep: () => undefined,
  onEnded: () => undefined,
  onError,
  limits: { ...ENGINE_LIMITS, idleMs: 100, leaseMs },
});
startTaskWorker({ url: databaseUrl, engine, onError: () => undefined });
