/**
 * Writes down which tasks were taken and how they ended, so that a sandbox that is killed knows
 * them again, as a provider would.
 */
import { appendFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import type { OutputSpec } from "../media/output-spec.ts";
import { isObject } from "../is-object.ts";
import type { Task } from "./task.ts";

export type TakenTask = Pick<
  Task,
  | "id"
  | "protocol"
  | "model"
  | "input"
  | "header"
  | "callbackUrl"
  | "origin"
  | "apiKey"
  | "createdAt"
>;

export interface TaskEnd extends Pick<
  Task,
  "phase" | "failure" | "cost" | "startedAt" | "endedAt"
> {
  /** What its results are made of; they are made again when they are asked for. */
  readonly plan: readonly OutputSpec[];
}

export interface KeptTask {
  readonly taken: TakenTask;
  /** Null: it was under way. */
  readonly end: TaskEnd | null;
}

export interface TaskJournal {
  take(task: Task): void;
  end(task: Task, plan: readonly OutputSpec[]): void;
  /** Of an earlier run, oldest first. */
  kept(protocol: string): readonly KeptTask[];
  clear(): void;
}

export interface TaskJournalOptions {
  /** One JSON object a line. Only its owner may read it: it has the keys of the tasks' creators. */
  readonly path: string;
  readonly now: () => number;
  readonly maxTasks: number;
  readonly keepMs: number;
}

const FILE = { mode: 0o600 } as const;
/** Lines for each task that is kept, before the file is written anew without the forgotten. */
const SLACK = 4;

/**
 * Whatever is wrong with the file, the sandbox runs: what cannot be read is forgotten, and what
 * cannot be written is not kept.
 */
export function openTaskJournal({ path, now, maxTasks, keepMs }: TaskJournalOptions): TaskJournal {
  const tasks = readTasks(path);
  let lines = Infinity;

  function forget(): void {
    const oldest = now() - keepMs;
    for (const [id, { taken }] of tasks) {
      if (tasks.size <= maxTasks && taken.createdAt >= oldest) break;
      tasks.delete(id);
    }
  }

  function write(line: object): void {
    forget();
    try {
      if (lines < SLACK * maxTasks) appendFileSync(path, `${JSON.stringify(line)}\n`, FILE);
      else rewrite();
      lines++;
    } catch {
      lines = Infinity;
    }
  }

  function rewrite(): void {
    writeFileSync(
      `${path}.new`,
      [...tasks.values()].map((task) => `${JSON.stringify(task)}\n`).join(""),
      FILE,
    );
    renameSync(`${path}.new`, path);
    lines = tasks.size;
  }

  forget();
  const earlier = [...tasks.values()];
  return {
    take({ id, protocol, model, input, header, callbackUrl, origin, apiKey, createdAt }) {
      const taken = { id, protocol, model, input, header, callbackUrl, origin, apiKey, createdAt };
      tasks.set(id, { taken, end: null });
      write({ taken, end: null });
    },
    end({ id, phase, failure, cost, startedAt, endedAt }, plan) {
      const known = tasks.get(id);
      if (known === undefined) return;
      const end = { phase, failure, cost, startedAt, endedAt, plan };
      tasks.set(id, { taken: known.taken, end });
      write({ id, end });
    },
    kept: (protocol) => earlier.filter(({ taken }) => taken.protocol === protocol),
    clear() {
      tasks.clear();
      lines = Infinity;
      write({});
    },
  };
}

function readTasks(path: string): Map<string, KeptTask> {
  const tasks = new Map<string, KeptTask>();
  for (const line of readLines(path)) {
    if (isObject(line["taken"])) {
      const task = line as unknown as KeptTask;
      tasks.set(task.taken.id, task);
      continue;
    }
    const known = typeof line["id"] === "string" ? tasks.get(line["id"]) : undefined;
    if (known !== undefined)
      tasks.set(known.taken.id, { taken: known.taken, end: line["end"] as TaskEnd });
  }
  return tasks;
}

/** The last one may have been cut by the end of the process. */
function readLines(path: string): Record<string, unknown>[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return [];
  }
  return text.split("\n").flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return isObject(value) ? [value] : [];
    } catch {
      return [];
    }
  });
}
