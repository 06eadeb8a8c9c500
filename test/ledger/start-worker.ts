/** Starts a hold worker and collects what it reports. */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { newUuid, type Uuid } from "../../src/kernel/ids.ts";
import type { WorkerOrder, WorkerReport } from "./hold-worker.ts";

export interface Worker {
  readonly process: ChildProcess;
  readonly ownerId: Uuid;
  readonly reports: readonly WorkerReport[];
  order(order: WorkerOrder): void;
  /** Resolves when so many reports of this kind have come. */
  seen(kind: WorkerReport["kind"], count?: number): Promise<void>;
  /** Resolves when the process is gone. */
  gone(): Promise<void>;
}

export async function startWorker(url: string): Promise<Worker> {
  const ownerId = newUuid();
  const child = fork(join(import.meta.dirname, "hold-worker.ts"), [url, ownerId], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  const reports: WorkerReport[] = [];
  const waiting = new Set<() => void>();
  child.on("message", (message: WorkerReport) => {
    reports.push(message);
    for (const check of waiting) check();
  });
  const worker: Worker = {
    process: child,
    ownerId,
    reports,
    order: (order) => void child.send(order),
    seen(kind, count = 1) {
      return new Promise((resolve, reject) => {
        const check = (): void => {
          if (reports.filter((report) => report.kind === kind).length < count) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        exited.then(() => reject(new Error("the worker ended too early")), reject);
        check();
      });
    },
    async gone() {
      await exited;
    },
  };
  await worker.seen("ready");
  return worker;
}
