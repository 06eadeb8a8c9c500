/**
 * One of several serving processes: the same gateway, on the database and the port of its primary.
 */
import cluster from "node:cluster";
import { createMetrics } from "../http/metrics.ts";
import { systemClock } from "../kernel/clock.ts";
import { readConfig } from "../config/config.ts";
import { INHERITED_DATABASE_URL, readEnvironment } from "../config/environment.ts";
import { createLog } from "../log/log.ts";
import { noDebugger } from "./no-debugger.ts";
import { openGateway } from "./open-gateway.ts";
import type { Gateway } from "./open-gateway.ts";
import { PROJECT_ROOT } from "./project-root.ts";
import { openStandardOutput } from "../log/standard-output.ts";
import { StartRefused } from "./start-refused.ts";
import type { PrimaryMessage, WorkerMessage } from "./workers.ts";

/** What may remain of a stop beyond the drain itself once no primary process watches over it. */
const STOP_SLACK_MS = 20_000;

function tell(message: WorkerMessage, onSent: () => void = () => undefined): void {
  if (process.connected) process.send?.(message, onSent);
  else onSent();
}

/** All processes' figures: only the primary can ask the others. */
function createTogether(): {
  render(): Promise<string>;
  answer(question: number, text: string): void;
} {
  const waiting = new Map<number, (text: string) => void>();
  let questions = 0;
  return {
    render() {
      questions += 1;
      const { promise, resolve } = Promise.withResolvers<string>();
      waiting.set(questions, resolve);
      tell({ kind: "want-metrics", question: questions });
      return promise;
    },
    answer(question, text) {
      waiting.get(question)?.(text);
      waiting.delete(question);
    },
  };
}

async function run(): Promise<void> {
  const env = readEnvironment(process.cwd());
  const reading = readConfig(env, process.cwd(), PROJECT_ROOT);
  const databaseUrl = env[INHERITED_DATABASE_URL];
  if (!reading.ok || databaseUrl === undefined)
    throw new Error("a serving process is started by its primary only");
  const log = createLog(reading.config.logLevel, openStandardOutput().write);
  const metrics = createMetrics();
  const together = createTogether();

  noDebugger();
  // The word to stop is the primary's; a terminal's Ctrl-C reaches this process too.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => undefined);
  // Without this the runtime ends a worker at once when its primary is gone, in the middle of its
  // answers.
  if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;

  let gateway: Gateway | null = null;
  let exitCode: number | null = null;

  /** Heard of while the gateway is still being opened, the word is obeyed as soon as it is open. */
  function stop(code: number): void {
    exitCode ??= code;
    const open = gateway;
    gateway = null;
    open?.stop().then(
      () => process.exit(exitCode ?? code),
      (error: unknown) => {
        log.fatal({ err: error }, "the stop failed");
        process.exit(1);
      },
    );
  }

  process.on("message", (message: PrimaryMessage) => {
    switch (message.kind) {
      case "announce-stop":
        // One that is still being opened is told to drain soon enough.
        gateway?.announceStop();
        break;
      case "drain":
        stop(0);
        break;
      case "want-figures":
        metrics.figures().then(
          (figures) => tell({ kind: "figures", question: message.question, figures }),
          (error: unknown) => log.warn({ err: error }, "the metrics could not be read"),
        );
        break;
      case "metrics":
        together.answer(message.question, message.text);
        break;
    }
  });
  // The primary is gone: what runs is finished, then this process ends too.
  process.on("disconnect", () => {
    log.error("the primary process is gone");
    stop(1);
    setTimeout(() => process.exit(1), reading.config.drainSeconds * 1000 + STOP_SLACK_MS).unref();
  });

  try {
    gateway = await openGateway({
      config: reading.config,
      databaseUrl,
      env,
      roles: new Set(
        (process.argv[2] ?? "api,worker")
          .split(",")
          .filter((role) => role === "api" || role === "worker"),
      ),
      clock: systemClock,
      log,
      metrics,
      renderMetrics: () => together.render(),
    });
  } catch (error) {
    // The primary has the last word: a stack that each of us throws would bury it.
    const refused = error instanceof StartRefused;
    if (!refused) log.fatal({ err: error }, "cannot serve");
    tell(
      { kind: "lost", reason: error instanceof Error ? error.message : String(error), refused },
      () => process.exit(1),
    );
    return;
  }
  if (gateway.url !== null) tell({ kind: "listening", url: gateway.url });
  if (exitCode !== null) stop(exitCode);
}

await run();
