/**
 * Several serving processes on one port: starts them, replaces one that dies, drains them together,
 * and adds their metrics up.
 */
import cluster from "node:cluster";
import type { Worker } from "node:cluster";
import { AggregatorRegistry } from "prom-client";
import type { Config, Environment } from "../config/config.ts";
import { INHERITED_DATABASE_URL } from "../config/environment.ts";
import type { Log } from "../log/log.ts";
import { StartRefused } from "./start-refused.ts";

export interface WorkersOptions {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly env: Environment;
  readonly roles: ReadonlySet<"api" | "worker">;
  readonly log: Log;
  /** The program of a worker: a path. Its first argument is the roles. */
  readonly program: string;
}

/** From a worker to its primary. */
export type WorkerMessage =
  | { readonly kind: "listening"; readonly url: string }
  /** It ends; `refused` when the reason tells the operator what to do. */
  | { readonly kind: "lost"; readonly reason: string; readonly refused: boolean }
  | { readonly kind: "want-metrics"; readonly question: number }
  | { readonly kind: "figures"; readonly question: number; readonly figures: object[] };

/** From the primary to a worker. */
export type PrimaryMessage =
  /** As in a gateway's `announceStop`. */
  | { readonly kind: "announce-stop" }
  | { readonly kind: "drain" }
  | { readonly kind: "want-figures"; readonly question: number }
  | { readonly kind: "metrics"; readonly question: number; readonly text: string };

/**
 * A process that runs out of memory is ended from outside, or by its engine, and can say nothing in
 * the log itself.
 */
const HINTS: Readonly<Record<string, string>> = {
  SIGKILL:
    "where nobody killed it, memory ran out: `dmesg`, or `memory.events` of the service's cgroup (MemoryMax), says so",
  SIGABRT:
    "standard error says why; `heap out of memory` is the limit of --max-old-space-size (NODE_OPTIONS)",
};
const RESTART_MS = 300;
const FIGURES_LIMIT_MS = 2_000;

export interface Workers {
  readonly url: string;
  /** Of every one; who dies from now on is not replaced. */
  announceStop(): void;
  stop(): Promise<void>;
}

export async function startWorkers(options: WorkersOptions): Promise<Workers> {
  const { config, log } = options;
  let stopping = false;
  const answers = new Map<number, (figures: object[]) => void>();
  let questions = 0;

  cluster.setupPrimary({ exec: options.program, args: [[...options.roles].join(",")] });

  function figuresOf(worker: Worker): Promise<object[]> {
    questions += 1;
    const question = questions;
    const { promise, resolve } = Promise.withResolvers<object[]>();
    answers.set(question, resolve);
    send(worker, { kind: "want-figures", question });
    const timer = setTimeout(() => resolve([]), FIGURES_LIMIT_MS);
    return promise.finally(() => {
      clearTimeout(timer);
      answers.delete(question);
    });
  }

  async function renderTogether(): Promise<string> {
    const figures = await Promise.all(livingWorkers().map(figuresOf));
    return AggregatorRegistry.aggregate(figures.filter((each) => each.length > 0)).metrics();
  }

  function start(): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const env = Object.fromEntries(
      Object.entries(options.env).filter(([, value]) => value !== undefined),
    );
    const worker = cluster.fork({ ...env, [INHERITED_DATABASE_URL]: options.databaseUrl });
    worker.on("message", (message: WorkerMessage) => {
      if (message.kind === "listening") resolve(message.url);
      else if (message.kind === "lost")
        reject(message.refused ? new StartRefused(message.reason) : new Error(message.reason));
      else if (message.kind === "figures") answers.get(message.question)?.(message.figures);
      else if (message.kind === "want-metrics") {
        renderTogether().then(
          (text) => send(worker, { kind: "metrics", question: message.question, text }),
          (error: unknown) => log.warn({ err: error }, "the metrics could not be added up"),
        );
      }
    });
    worker.once("exit", (code, signal) => {
      const how = signal === null || signal === "" ? `code ${code}` : signal;
      reject(new Error(`a serving process ended with ${how} before it listened`));
      if (stopping) return;
      log.error(
        { worker: worker.process.pid, how, hint: HINTS[how] },
        "a serving process ended; starting another",
      );
      setTimeout(() => {
        if (!stopping)
          start().catch((error: unknown) =>
            log.error({ err: error }, "a serving process did not start"),
          );
      }, RESTART_MS);
    });
    return promise;
  }

  function livingWorkers(): Worker[] {
    return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
  }

  function announceStop(): void {
    stopping = true;
    for (const worker of livingWorkers()) send(worker, { kind: "announce-stop" });
  }

  async function stop(): Promise<void> {
    stopping = true;
    const living = livingWorkers();
    await Promise.all(
      living.map((worker) => {
        const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
        send(worker, { kind: "drain" });
        return ended;
      }),
    );
  }

  try {
    const urls = await Promise.all(Array.from({ length: config.workers }, start));
    log.info({ workers: config.workers, url: urls[0] }, "all serving processes listen");
    return { url: urls[0] ?? "", announceStop, stop };
  } catch (error) {
    // A start that is lost leaves no process behind, and none is started in the place of one that
    // failed.
    await stop();
    throw error;
  }
}

function send(worker: Worker, message: PrimaryMessage): void {
  if (worker.isConnected()) worker.send(message);
}
