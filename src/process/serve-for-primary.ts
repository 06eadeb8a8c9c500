/**
 * The side of one of several serving processes that its primary talks to: told to stop, asked for
 * its figures, ended in order when the primary is gone.
 */
import cluster from "node:cluster";
import type { Log } from "../log/log.ts";
import { StartRefused } from "./start-refused.ts";
import type { PrimaryMessage, WorkerMessage } from "./workers.ts";

/** What serves, as far as a process has to know it. */
export interface Serving {
  readonly url: string | null;
  announceStop(): void;
  stop(): Promise<void>;
}

export interface ServedForPrimary {
  readonly log: Log;
  readonly drainSeconds: number;
  /** Of this process. */
  figures(): Promise<object[]>;
  /** @param renderMetrics all processes' figures: only the primary can ask the others. */
  open(renderMetrics: () => Promise<string>): Promise<Serving>;
}

/** What may remain of a stop beyond the drain itself once no primary process watches over it. */
const STOP_SLACK_MS = 20_000;

function tell(message: WorkerMessage, onSent: () => void = () => undefined): void {
  if (process.connected) process.send?.(message, onSent);
  else onSent();
}

export async function serveForPrimary(served: ServedForPrimary): Promise<void> {
  const { log } = served;
  const together = createTogether();
  let serving: Serving | null = null;
  let exitCode: number | null = null;
  ignoreSignals();

  /** Heard of while the gateway is still being opened, the word is obeyed as soon as it is open. */
  function stop(code: number): void {
    exitCode ??= code;
    const open = serving;
    serving = null;
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
        serving?.announceStop();
        break;
      case "drain":
        stop(0);
        break;
      case "want-figures":
        served.figures().then(
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
    setTimeout(() => process.exit(1), served.drainSeconds * 1000 + STOP_SLACK_MS).unref();
  });

  try {
    serving = await served.open(() => together.render());
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
  if (serving.url !== null) tell({ kind: "listening", url: serving.url });
  if (exitCode !== null) stop(exitCode);
}

function ignoreSignals(): void {
  // The word to stop is the primary's; a terminal's Ctrl-C reaches this process too.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => undefined);
  // Without this the runtime ends a worker at once when its primary is gone, in the middle of its
  // answers.
  if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;
}

/** Questions for the figures of all processes, and their answers. */
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
