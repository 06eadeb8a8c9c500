/**
 * Engines of tasks on a real database, real files and real money, with a provider that answers as
 * the test tells it.
 */
import assert from "node:assert/strict";
import type {
  Catalogue,
  TaskModel,
  TaskRoute,
  UpstreamConfig,
} from "../../src/catalogue/catalogue.ts";
import { openDatabase, type Db } from "../../src/db/database.ts";
import {
  ENGINE_LIMITS,
  type ProviderWords,
  type StepReport,
  type TaskAlert,
  type TaskEngineDeps,
} from "../../src/serving/tasks/advance-deps.ts";
import { createTaskEngine, type TaskEngine } from "../../src/serving/tasks/advance-tasks.ts";
import { findFile } from "../../src/files/files.store.ts";
import { createCircuitBreakers } from "../../src/serving/routing/circuit-breakers.ts";
import { createConcurrencyLimiter } from "../../src/serving/routing/concurrency-limiter.ts";
import { createIntake } from "../../src/serving/files/intake.ts";
import { createTakeMedia } from "../../src/serving/files/take-media.ts";
import { verifyLedger } from "../../src/business/operate/verify-ledger.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { newUuid, type Uuid } from "../../src/kernel/ids.ts";
import { nano, ZERO_NANO, type Nano } from "../../src/kernel/money.ts";
import { balance, openAccount } from "../../src/ledger/accounts.store.ts";
import { holdIn } from "../../src/ledger/holds.store.ts";
import { credit } from "../../src/ledger/transfers.store.ts";
import { createOutgoing } from "../../src/net/outgoing.ts";
import { createSafeFetch } from "../../src/net/safe-fetch.ts";
import type { NewTask, TaskEvent, TaskRecord } from "../../src/tasks/task-record.ts";
import { eventsAfter, findAnyTask, insertTask, tellWorkers } from "../../src/tasks/tasks.store.ts";
import { startTaskWorker } from "../../src/serving/tasks/task-worker.ts";
import { openFileScene, picture, STATIC_URL, type FileScene } from "./file-scene.ts";
import { startScriptedProvider, type ScriptedProvider } from "./scripted-provider.ts";
import { until } from "./until.ts";

export const PRICE = nano(12_000n);
export const CREDITED = nano(1_000_000n);

export interface EngineOptions {
  readonly leaseMs?: number;
  /** Stands between the engine and the real database. */
  readonly db?: (real: Db) => Db;
  readonly deps?: Partial<TaskEngineDeps>;
}

export interface RunningEngine {
  readonly engine: TaskEngine;
  readonly db: Db;
  readonly alerts: TaskAlert[];
  readonly steps: StepReport[];
  readonly words: ProviderWords[];
  readonly errors: unknown[];
  stop(deadlineMs?: number): Promise<void>;
}

export interface EngineScene extends AsyncDisposable {
  readonly files: FileScene;
  readonly db: Db;
  readonly provider: ScriptedProvider;
  /** Changed by tests; every engine sees it at once. */
  readonly catalogue: { upstreams: Map<string, UpstreamConfig>; models: Map<string, TaskModel> };
  readonly credentials: Map<string, string>;
  /** A process's share: a pool of its own, and an engine that is woken by the database. */
  start(options?: EngineOptions): RunningEngine;
  /** With its hold, by an account that can pay for it. */
  order(change?: Partial<NewTask>): Promise<Uuid>;
  find(taskId: Uuid): Promise<TaskRecord>;
  events(taskId: Uuid): Promise<TaskEvent[]>;
  kinds(taskId: Uuid): Promise<string[]>;
  /** Waits for it to be completed or failed. */
  end(taskId: Uuid): Promise<TaskRecord>;
  /** Waits until it is at this step. */
  phase(taskId: Uuid, phase: TaskRecord["phase"]): Promise<TaskRecord>;
  /** As if so much time had passed since it came to its step, and it were due now. */
  age(taskId: Uuid, ms: number): Promise<void>;
  /**
   * Insists that each of the tasks has ended once, has its files, is charged or released in full,
   * and that the books agree.
   */
  assertSettled(taskIds: readonly Uuid[]): Promise<void>;
}

export function upstreamOf(
  name: string,
  host: string,
  change: Partial<UpstreamConfig> = {},
): UpstreamConfig {
  return {
    name,
    protocol: "kie",
    baseUrl: `http://${host}`,
    apiKeyEnv: ["PROVIDER_KEY"],
    timeoutsMs: { connect: 1_000, firstByte: 5_000, idle: 5_000 },
    maxConcurrent: 50,
    onDisconnect: "abort",
    resultHosts: [host],
    ...change,
  };
}

export function modelOf(
  id: string,
  parameters: string,
  routes: readonly Partial<TaskRoute>[],
): TaskModel {
  return {
    type: "task",
    id,
    parameters,
    price: {
      unit: "image",
      quantity: { kind: "number", value: { digits: 1n, scale: 0 } },
      amount: { kind: "amount", perUnitNano: PRICE },
      multiply: [],
    },
    deadlineSeconds: 3_600,
    routes: routes.map((route) => ({
      upstream: "there",
      model: "m",
      order: 1,
      weight: 1,
      cost: null,
      ...route,
    })),
  };
}

export async function openEngineScene(): Promise<EngineScene> {
  const files = await openFileScene();
  const provider = await startScriptedProvider(await picture(32));
  const safeFetch = createSafeFetch({ allow: ["127.0.0.0/8"] });
  const outgoing = createOutgoing();
  const { db } = files;
  const catalogue: EngineScene["catalogue"] = {
    upstreams: new Map([["there", upstreamOf("there", provider.host)]]),
    models: new Map([
      ["picture", modelOf("picture", "T19", [{}])],
      ["pictures", modelOf("pictures", "T4", [{}])],
      ["video", modelOf("video", "T2", [{}])],
    ]),
  };
  const credentials = new Map([["PROVIDER_KEY", "secret"]]);
  const running: RunningEngine[] = [];
  const find = async (taskId: Uuid): Promise<TaskRecord> => {
    const found = await findAnyTask(db, taskId);
    assert.ok(found !== null);
    return found;
  };
  const events = async (taskId: Uuid): Promise<TaskEvent[]> => {
    const { accountId } = await find(taskId);
    return eventsAfter(db, { accountId, taskId, seq: 0n, kinds: null, limit: 1_000 });
  };

  return {
    files,
    db,
    provider,
    catalogue,
    credentials,
    start({ leaseMs = 60_000, db: wrap, deps = {} } = {}) {
      const pool = openDatabase({
        url: files.databaseUrl,
        poolSize: 10,
        applicationName: "an engine",
        onError: () => undefined,
      });
      const alerts: TaskAlert[] = [];
      const steps: StepReport[] = [];
      const words: ProviderWords[] = [];
      const errors: unknown[] = [];
      const onError = (_what: string, error: unknown): void => void errors.push(error);
      const { storage } = files.process({ db: () => pool });
      const intakeOf = (quotaBytes: number) =>
        createIntake({
          db: pool,
          storage,
          media: files.media,
          ownerId: newUuid(),
          retentionDays: 14,
          quotaBytes,
          onError,
        });
      const staticUrl = (): string => STATIC_URL;
      const limitBytes = 2 ** 24;
      const intake = intakeOf(2 ** 30);
      const engine = createTaskEngine({
        db: wrap?.(pool) ?? pool,
        clock: systemClock,
        adapters: {
          kie: provider.adapter,
          fal: provider.adapter,
          replicate: provider.adapter,
          "http-task": provider.adapter,
        },
        catalogue: {
          current: () => ({
            catalogue: { ...catalogue, families: { prefix: "x", tiers: [] } } satisfies Catalogue,
          }),
        },
        credential: (name) => credentials.get(name),
        health: createCircuitBreakers({
          clock: systemClock,
          kinds: new Set(["task"]),
          onCircuit: () => undefined,
        }),
        places: createConcurrencyLimiter(),
        takeMedia: createTakeMedia({
          db: pool,
          storage,
          media: files.media,
          intake,
          safeFetch,
          staticUrl,
          limitBytes,
        }),
        resultIntake: intakeOf(Number.MAX_SAFE_INTEGER),
        safeFetch,
        outgoing,
        resultLimitBytes: limitBytes,
        staticUrl,
        callbackUrl: (upstream, attemptId) =>
          `https://gateway.test/v1/callbacks/${upstream}/${attemptId}`,
        random: Math.random,
        onAlert: (alert) => alerts.push(alert),
        onWords: (reported) => words.push(reported),
        onStep: (step) => steps.push(step),
        onEnded: () => undefined,
        onError,
        ...deps,
        limits: { ...ENGINE_LIMITS, idleMs: 200, leaseMs, ...deps.limits },
      });
      const worker = startTaskWorker({ url: files.databaseUrl, engine, onError: () => undefined });
      let stopping: Promise<void> | null = null;
      const made: RunningEngine = {
        engine,
        db: pool,
        alerts,
        steps,
        words,
        errors,
        stop: (deadlineMs = 5_000) => (stopping ??= worker.stop(deadlineMs)),
      };
      running.push(made);
      return made;
    },
    async order(change = {}) {
      const taskId = newUuid();
      const accountId = change.accountId ?? newUuid();
      const task: NewTask = {
        taskId,
        accountId,
        keyId: null,
        requestId: newUuid(),
        model: "picture",
        parameterTable: "T19",
        parameters: { prompt: "a cat" },
        hasMedia: false,
        callbackUrl: null,
        priceVersion: 1,
        priceNano: PRICE,
        priceByFilesNano: null,
        deadlineSeconds: 3_600,
        ...change,
      };
      if ((await balance(db, accountId)) === null) {
        await db.transaction(async (tx) => {
          await openAccount(tx, accountId);
          await credit(tx, {
            accountId,
            amountNano: CREDITED,
            reference: `test:${accountId}`,
            kind: "topup",
          });
        });
      }
      const { priceNano } = task;
      await db.transaction(async (tx) => {
        const held = await holdIn(tx, {
          holdId: taskId,
          accountId,
          budgetId: null,
          groupId: null,
          fullNano: null,
          sliceNano: priceNano,
          minimumNano: priceNano,
          reference: `task:${taskId}`,
          priceVersion: 1,
          detail: "{}",
        });
        assert.equal(held.kind, "held");
        await insertTask(tx, task);
      });
      await tellWorkers(db);
      return taskId;
    },
    find,
    events,
    kinds: async (taskId) => (await events(taskId)).map(({ kind }) => kind),
    end: (taskId) =>
      until(`the end of ${taskId}`, async () => {
        const task = await find(taskId);
        return task.state === "completed" || task.state === "failed" ? task : null;
      }),
    phase: (taskId, phase) =>
      until(`${taskId} at ${phase}`, async () => {
        const task = await find(taskId);
        return task.phase === phase ? task : null;
      }),
    async age(taskId, ms) {
      await db.query(
        `UPDATE tasks.jobs SET phase_at = phase_at - $2 * interval '1 millisecond', woken = true,
           due_at = CASE WHEN lease_id IS NULL THEN clock_timestamp() ELSE due_at END WHERE task_id = $1`,
        [taskId, ms],
      );
      await db.query("SELECT pg_notify('tollgate_task_work', '')");
    },
    async assertSettled(taskIds) {
      for (const taskId of taskIds) {
        const task = await find(taskId);
        const kinds = (await events(taskId)).map(({ kind }) => kind);
        assert.equal(
          kinds.filter((kind) => kind === "completed" || kind === "failed").length,
          1,
          `${taskId}: ${kinds.join(" ")}`,
        );
        const [entry] = await db.query<{ amountNano: Nano }>(
          `SELECT amount_nano AS "amountNano" FROM ledger.entries WHERE account_id = $1 AND entry_id = $2`,
          [task.accountId, taskId],
        );
        assert.ok(entry !== undefined, "its hold has ended");
        assert.equal(entry.amountNano, task.state === "completed" ? task.chargedNano : ZERO_NANO);
        for (const { name } of task.result?.files ?? []) {
          const found = await findFile(db, name);
          assert.equal(found.state, "stored", `the file ${name} of ${taskId}`);
        }
        const account = await balance(db, task.accountId);
        assert.equal(account?.heldNano, 0n);
      }
      const { mismatches } = await verifyLedger(db);
      assert.deepEqual(mismatches, []);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(running.map((one) => one.stop(1_000)));
      await Promise.all(running.map((one) => one.db.close().catch(() => undefined)));
      await safeFetch.close();
      await outgoing.close();
      await provider[Symbol.asyncDispose]();
      await files[Symbol.asyncDispose]();
    },
  };
}
