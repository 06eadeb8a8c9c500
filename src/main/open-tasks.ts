/**
 * Composition of tasks: what callers may do with them, the word of other processes that wakes who
 * waits, and, where this process works, webhooks.
 */
import { listen } from "../db/listen.ts";
import { countBy } from "../http/count-by.ts";
import { reportTaskWork } from "../http/report-task-work.ts";
import type { TaskRouteDeps } from "../http/task-route-deps.ts";
import { ZERO_NANO } from "../kernel/money.ts";
import { checkUrl } from "../net/check-url.ts";
import { VERSION } from "../process/project-root.ts";
import { repeat, repeatWhenWoken } from "../process/repeat.ts";
import type { RateGate } from "../serving/admission/rate-gate.ts";
import { createCallbackDesk, type CallbackDesk } from "../serving/tasks/accept-callback.ts";
import { createTaskEngine } from "../serving/tasks/advance-tasks.ts";
import { createWebhookDelivery } from "../serving/tasks/deliver-webhooks.ts";
import { startTaskWorker } from "../serving/tasks/task-worker.ts";
import { createTaskWatch } from "../serving/tasks/watch-task.ts";
import { countTasks, type TaskCounts } from "../tasks/counts.store.ts";
import { TASKS_CHANNEL } from "../tasks/tasks.store.ts";
import { createTaskAdapters, type TaskAdapters } from "../upstreams/tasks/create-task-adapters.ts";
import type { Files } from "./open-files.ts";
import type { Routing } from "./open-routing.ts";
import type { Parts } from "./parts.ts";

export interface TasksParts extends Parts {
  readonly files: Files;
  readonly routing: Routing;
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

/** A task that has ended is told of over TASKS_CHANNEL; webhooks that are tried again are not. */
const WEBHOOKS_MS = { leastMs: 500, mostMs: 3_000 };
const COUNT_MS = 15_000;
/** The largest result that is copied: a minute of 4K video has less. */
const RESULT_LIMIT_BYTES = 2 * 1024 ** 3;
const NO_COUNTS: TaskCounts = {
  byPhase: new Map(),
  byState: new Map(),
  heldNano: ZERO_NANO,
  webhooks: 0,
};

export function openTasks(parts: TasksParts): Tasks {
  const { config, metrics, onError } = parts;
  const adapters = createTaskAdapters(parts);
  const watch = createTaskWatch();
  // Every process that serves has this connection, in whatever role.
  const listener = listen({
    url: parts.databaseUrl,
    channels: [TASKS_CHANNEL],
    version: VERSION,
    onMessage(_channel, taskId) {
      watch.heard(taskId);
      worker?.heard();
    },
    onConnected: () => watch.heardAll(),
    onError: (error) => onError("the notification connection of tasks broke", error),
  });
  const worker = parts.roles.has("worker") ? startWork(parts, adapters) : null;
  let draining = false;
  let callbacks: CallbackDesk | null = null;
  metrics.watch({
    name: "task_waits",
    help: "Connections that wait for a task.",
    read: () => watch.active,
  });

  return {
    serve(limits) {
      const heard = countBy(metrics, {
        name: "task_callbacks",
        help: "Reports of providers, by whether a task waited for them.",
        label: "known",
      });
      callbacks = createCallbackDesk({
        ...parts,
        adapters,
        onHeard: (known) => heard(String(known)),
      });
      return {
        ...parts,
        limits,
        watch,
        callbacks,
        isDraining: () => draining,
        checkUrl: (text) => checkUrl(text, { allow: config.fetchAllow }),
        onEnded: metrics.taskEnded,
        onTasksRefused: (of) => metrics.rateLimited({ of, kind: "tasks" }),
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
  parts: TasksParts,
  adapters: TaskAdapters,
): {
  /** A task has changed. */
  heard(): void;
  stop(deadlineMs: number): Promise<void>;
} {
  const { config, env, db, files, routing, onError } = parts;
  const reports = reportTaskWork(parts);
  const engine = createTaskEngine({
    ...parts,
    adapters,
    credential: (name) => env[name],
    health: routing.health,
    places: routing.places,
    takeMedia: files.takeMedia,
    resultIntake: files.resultIntake,
    resultLimitBytes: RESULT_LIMIT_BYTES,
    // An address that is only known here would tell a provider nothing.
    callbackUrl: (upstream, attemptId) =>
      config.baseUrl === null
        ? null
        : `${config.baseUrl}/v1/callbacks/${encodeURIComponent(upstream)}/${attemptId}`,
    random: () => Math.random(),
    onAlert: reports.onAlert,
    onWords: reports.onWords,
    onEnded: parts.metrics.taskEnded,
    onStep: reports.onStep,
  });
  const worker = startTaskWorker({
    url: parts.databaseUrl,
    engine,
    onError: (error) => onError("the notification connection of the task engine broke", error),
  });
  const webhooks = createWebhookDelivery({ ...parts, onTried: reports.onWebhookTried });
  let counts = NO_COUNTS;
  reports.watch({ active: () => engine.active, counts: () => counts });
  const courier = repeatWhenWoken(
    (error) => onError("webhooks could not be looked for", error),
    () => webhooks.tick(),
    WEBHOOKS_MS,
  );
  const repeater = repeat(onError, {
    "tasks could not be counted": [COUNT_MS, async () => (counts = await countTasks(db))],
  });

  let stopped: Promise<void> | null = null;
  return {
    heard: () => courier.wake(),
    stop(deadlineMs) {
      stopped ??= (async () => {
        await Promise.all([repeater.stop(), courier.stop()]);
        await Promise.all([webhooks.stop(), worker.stop(deadlineMs)]);
      })();
      return stopped;
    },
  };
}
