/**
 * The endpoint through which tasks come to the engine: it hears from the database that there is
 * work, and runs the engine until it is told to stop.
 */
import { listen } from "../../db/listen.ts";
import type { TaskEngine } from "./advance-tasks.ts";
import { TASK_WORK_CHANNEL } from "../../tasks/tasks.store.ts";

export interface TaskWorkerOptions {
  readonly url: string;
  readonly engine: TaskEngine;
  /**
   * Hears of a notification connection that broke; it comes back by itself, and meanwhile the
   * engine asks now and then.
   */
  onError(error: unknown): void;
}

export interface TaskWorker {
  /**
   * Takes nothing new, lets what runs finish for so long, gives the rest back to the process that
   * asks next. A second call waits.
   */
  stop(deadlineMs: number): Promise<void>;
}

export function startTaskWorker({ url, engine, onError }: TaskWorkerOptions): TaskWorker {
  engine.start();
  const listener = listen({
    url,
    channels: [TASK_WORK_CHANNEL],
    onMessage: () => engine.wake(),
    onConnected: () => engine.wake(),
    onError,
  });
  let stopping: Promise<void> | null = null;
  async function stop(deadlineMs: number): Promise<void> {
    await listener.close();
    await engine.stop(deadlineMs);
  }
  return { stop: (deadlineMs) => (stopping ??= stop(deadlineMs)) };
}
