/** Remembers the tasks and the attempts to create them, within bounds of number and age. */
import { createHash } from "node:crypto";
import type { JsonObject } from "../is-object.ts";
import type { Task } from "./task.ts";

/** One request to create a task, whatever became of it. */
export interface Submission {
  readonly at: number;
  readonly protocol: string;
  readonly model: string;
  readonly input: JsonObject;
  readonly callbackUrl: string | null;
  readonly tag: string | null;
  /** What was answered: `accepted`, `rejected`, `429`, `reset-after` … */
  outcome: string;
  /** Why it was not taken, in the words of the answer. */
  refusal: string | null;
  /** Null: nothing was taken. */
  taskId: string | null;
}

export interface TaskBoard {
  note(submission: Submission): void;
  /** How often this very input was sent to this model, this time included. */
  countAttempt(model: string, input: JsonObject): number;
  add(task: Task): void;
  find(protocol: string, id: string): Task | null;
  tasks(): readonly Task[];
  submissions(): readonly Submission[];
  /** Forgets everything and ends the waiting of what still runs. */
  clear(): void;
}

export interface TaskBoardOptions {
  readonly now: () => number;
  readonly maxTasks: number;
  /** A task is forgotten so long after it was created. */
  readonly keepMs: number;
}

export function createTaskBoard(options: TaskBoardOptions): TaskBoard {
  // All three hold their oldest entry first.
  const tasks = new Map<string, Task>();
  const submissions: Submission[] = [];
  const attempts = new Map<string, number>();

  const forget = (): void => {
    const oldest = options.now() - options.keepMs;
    for (const [id, task] of tasks) {
      if (tasks.size <= options.maxTasks && task.createdAt >= oldest) break;
      task.stop.abort();
      tasks.delete(id);
    }
    const old = submissions.findIndex((one) => one.at >= oldest);
    submissions.splice(
      0,
      Math.max(old === -1 ? submissions.length : old, submissions.length - options.maxTasks),
    );
    for (const digest of attempts.keys()) {
      if (attempts.size <= options.maxTasks) break;
      attempts.delete(digest);
    }
  };

  return {
    note(submission) {
      submissions.push(submission);
      forget();
    },
    countAttempt(model, input) {
      const digest = createHash("sha256")
        .update(JSON.stringify([model, input]))
        .digest("base64");
      const count = (attempts.get(digest) ?? 0) + 1;
      attempts.delete(digest);
      attempts.set(digest, count);
      return count;
    },
    add(task) {
      tasks.set(`${task.protocol} ${task.id}`, task);
      forget();
    },
    find: (protocol, id) => tasks.get(`${protocol} ${id}`) ?? null,
    tasks: () => [...tasks.values()],
    submissions: () => submissions,
    clear() {
      for (const task of tasks.values()) task.stop.abort();
      tasks.clear();
      submissions.length = 0;
      attempts.clear();
    },
  };
}
