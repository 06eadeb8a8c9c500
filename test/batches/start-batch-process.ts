/** Starts workers of batches in processes of their own, and ends them by kill -9. */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { BatchChildOptions } from "./batch-points.ts";

const PROGRAM = join(import.meta.dirname, "batch-process.ts");

export interface BatchChild {
  /** Resolves when it stands still at its point. */
  readonly stopped: Promise<void>;
  readonly started: Promise<void>;
  kill(): Promise<void>;
}

export function startBatchProcess(options: BatchChildOptions): BatchChild {
  const child: ChildProcess = fork(PROGRAM, [JSON.stringify(options)], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const [started, stopped] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  child.on("message", (message: { at: string }) => {
    if (message.at === "started") started.resolve();
    else stopped.resolve();
  });
  const gone = once(child, "exit");
  return {
    started: started.promise,
    stopped: stopped.promise,
    async kill() {
      child.kill("SIGKILL");
      await gone;
    },
  };
}
