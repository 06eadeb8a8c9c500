/**
 * Composition of tasks: what callers may do with them, the word of other processes that wakes who
 * waits, and, where this process works, webhooks.
 */
import type { LiveCatalogue } from "../catalogue/live-catalogue.ts";
import type { Db } from "../db/database.ts";
import { listen } from "../db/listen.ts";
import type { Idempotency } from "../serving/admission/idempotency.ts";
import type { RateGate } from "../serving/admission/rate-gate.ts";
import { createCallbackDesk, type CallbackDesk } from "../serving/tasks/accept-callback.ts";
import type { TaskAlert } from "../serving/tasks/advance-deps.ts";
import { createTaskEngine } from "../serving/tasks/advance-tasks.ts";
import { createWebhookDelivery } from "../serving/tasks/deliver-webhooks.ts";
import { createTaskWatch } from "../serving/tasks/watch-task.ts";
import type { SigningDeps } from "../serving/webhooks/signing-secrets.ts";
import type { Metrics } from "../http/metrics.ts";
import { roublesForGraphs } from "../http/roubles-for-graphs.ts";
import type { TaskRouteDeps } from "../http/task-route-deps.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Uuid } from "../kernel/ids.ts";
import { checkUrl } from "../net/check-url.ts";
import type { Outgoing } from "../net/outgoing.ts";
import type { SafeFetch } from "../net/safe-fetch.ts";
import { countTasks, type TaskCounts } from "../tasks/counts.store.ts";
import { TASKS_CHANNEL } from "../tasks/tasks.store.ts";
import { startTaskWorker } from "../serving/tasks/task-worker.ts";
import { createTaskAdapters, type TaskAdapters } from "../upstreams/tasks/create-task-adapters.ts";
import type { Config, Environment } from "../config/config.ts";
import { countBy } from "../http/count-by.ts";
import { every } from "./every.ts";
import type { Files } from "./open-files.ts";
import type { Log } from "../log/log.ts";
import type { Routing } from "./open-routing.ts";

export interface TasksDeps {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly env: Environment;
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, "watch" | "rateLimited" | "suspicious" | "taskEnded">;
  readonly ownerId: Uuid;
  readonly catalogue: Pick<LiveCatalogue, "current">;
  readonly idempotency: Idempotency;
  readonly files: Pick<Files, "takeMedia" | "resultIntake">;
  readonly safeFetch: SafeFetch;
  readonly outgoing: Outgoing;
  readonly routing: Pick<Routing, "health" | "places">;
  /** What webhooks are signed with. */
  readonly signing: SigningDeps;
  /** Whether this process does the work of tasks too. */
  readonly works: boolean;
  /** Without a slash at its end. */
  staticUrl(): string;
  onError(what: string, error: unknown): void;
}

export interface Tasks {
  /** For a process that takes requests. */
  serve(limits: RateGate): TaskRouteDeps;
  /**
   * Takes no new tasks, ends every wait, lets steps under way end for so long, gives back what is
   * leased, and resolves when nothing is under way.
   */
  drain(deadlineMs: number): Promise<void>;
  close(): Promise<void>;
}

const WEBHOOKS_MS = 500;
const COUNT_MS = 15_000;
/** The largest result that is copied: a minute of 4K video has less. */
const RESULT_LIMIT_BYTES = 2 * 1024 ** 3;
const NO_COUNTS: TaskCounts = {
  byPhase: new Map(),
  byState: new Map(),
  heldNano: 0n as TaskCounts["heldNano"],
  webhooks: 0,
};

export function openTasks(deps: TasksDeps): Tasks {
  const { config, db, clock, metrics, onError } = deps;
  const adapters = createTaskAdapters({ outgoing: deps.outgoing, clock });
  const watch = createTaskWatch();
  const listener = listen({
    url: deps.databaseUrl,
    channels: [TASKS_CHANNEL],
    onMessage: (_channel, taskId) => watch.heard(taskId),
    onConnected: () => watch.heardAll(),
    onError: (error) => onError("the notification connection of tasks broke", error),
  });
  const worker = deps.works ? startWork(deps, adapters) : null;
  let draining = false;
  let callbacks: CallbackDesk | null = null;
  metrics.watch({
    name: "task_waits",
    help: "Connections that wait for a task.",
    read: () => watch.active,
  });

  return {
    serve(limits) {
      const { catalogue, ownerId, idempotency, staticUrl } = deps;
      const heard = countBy(metrics, {
        name: "task_callbacks",
        help: "Reports of providers, by whether a task waited for them.",
        label: "known",
      });
      callbacks = createCallbackDesk({
        db,
        catalogue,
        adapters,
        onHeard: (known) => heard(String(known)),
        onError,
      });
      return {
        db,
        clock,
        ownerId,
        catalogue,
        limits,
        idempotency,
        watch,
        callbacks,
        isDraining: () => draining,
        checkUrl: (text) => checkUrl(text, { allow: config.fetchAllow }),
        staticUrl,
        onEnded: metrics.taskEnded,
        onTasksRefused: (of) => metrics.rateLimited({ of, kind: "tasks" }),
        onError,
      };
    },
    async drain(deadlineMs) {
      draining = true;
      watch.close();
      await Promise.all([worker?.stop(deadlineMs), callbacks?.settled()]);
    },
    async close() {
      watch.close();
      await worker?.stop(0);
      await callbacks?.settled();
      await listener.close();
    },
  };
}

/** The work on tasks that no request asks for. */
function startWork(
  deps: TasksDeps,
  adapters: TaskAdapters,
): { stop(deadlineMs: number): Promise<void> } {
  const { config, env, db, clock, metrics, files, onError } = deps;
  const steps = countBy(metrics, {
    name: "task_steps",
    help: "Steps of tasks that have ended, by kind (ingest, submit, poll, collect) and outcome.",
    label: "outcome",
  });
  const engine = createTaskEngine({
    db,
    clock,
    adapters,
    catalogue: deps.catalogue,
    credential: (name) => env[name],
    health: deps.routing.health,
    places: deps.routing.places,
    takeMedia: files.takeMedia,
    resultIntake: files.resultIntake,
    safeFetch: deps.safeFetch,
    outgoing: deps.outgoing,
    resultLimitBytes: RESULT_LIMIT_BYTES,
    staticUrl: () => deps.staticUrl(),
    // An address that is only known here would tell a provider nothing.
    callbackUrl: (upstream, attemptId) =>
      config.baseUrl === null
        ? null
        : `${config.baseUrl}/v1/callbacks/${encodeURIComponent(upstream)}/${attemptId}`,
    random: () => Math.random(),
    onAlert: tellAlerts(deps),
    onWords: (reported) => deps.log.info(reported, "a provider of tasks said"),
    onEnded: metrics.taskEnded,
    onStep: ({ step, outcome }) => steps(`${step} ${outcome}`),
    onError,
  });
  const worker = startTaskWorker({
    url: deps.databaseUrl,
    engine,
    onError: (error) => onError("the notification connection of the task engine broke", error),
  });
  metrics.watch({
    name: "task_steps_active",
    help: "Steps of tasks under way now, by kind.",
    label: "step",
    read: () => new Map(Object.entries(engine.active)),
  });
  const webhooks = createWebhookDelivery({
    db,
    clock,
    safeFetch: deps.safeFetch,
    signing: deps.signing,
    staticUrl: () => deps.staticUrl(),
    onTried: countBy(metrics, {
      name: "task_webhooks",
      help: "Tries to deliver webhooks, by outcome.",
      label: "outcome",
    }),
    onError,
  });
  let counts = NO_COUNTS;
  const deliveries = every(
    WEBHOOKS_MS,
    () => webhooks.tick(),
    (error) => onError("webhooks could not be looked for", error),
  );
  const counting = every(
    COUNT_MS,
    async () => {
      counts = await countTasks(db);
    },
    (error) => onError("tasks could not be counted", error),
  );
  // Every process that works counts all of them.
  const together = "max";
  metrics.watch({
    name: "tasks",
    help: "Tasks that have not ended, by state.",
    label: "state",
    together,
    read: () => counts.byState,
  });
  metrics.watch({
    name: "task_steps_due",
    help: "Tasks with a next step, by phase.",
    label: "phase",
    together,
    read: () => counts.byPhase,
  });
  metrics.watch({
    name: "tasks_held_roubles",
    help: "Held for tasks that have not ended.",
    together,
    read: () => roublesForGraphs(counts.heldNano),
  });
  metrics.watch({
    name: "task_webhooks_pending",
    help: "Webhooks that wait for a try.",
    together,
    read: () => counts.webhooks,
  });

  let stopped: Promise<void> | null = null;
  return {
    stop(deadlineMs) {
      stopped ??= (async () => {
        await Promise.all([deliveries.stop(), counting.stop()]);
        await Promise.all([webhooks.stop(), worker.stop(deadlineMs)]);
      })();
      return stopped;
    },
  };
}

/** Money or a provider's account hangs on each of them. */
function tellAlerts({ log, metrics }: TasksDeps): (alert: TaskAlert) => void {
  return (alert) => {
    metrics.suspicious(`task_${alert.kind}`);
    log.error(alert, "a task needs to be looked at: tollgate tasks show");
  };
}
