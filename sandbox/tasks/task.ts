/** One task of a media provider as the sandbox keeps it, the same for every protocol. */
import type { JsonObject } from "../is-object.ts";
import type { TaskDirectives } from "./task-directives.ts";

export type TaskPhase = "queued" | "running" | "succeeded" | "failed" | "canceled";

export interface TaskFailure {
  /**
   * What went wrong, for the protocol's own words: `input` could not be fetched or is of the wrong
   * kind, `blocked` by moderation.
   */
  readonly kind: "input" | "blocked" | "provider";
  /** The provider's code, such as `501`. */
  readonly code: string;
  readonly message: string;
}

export interface Task {
  readonly id: string;
  readonly protocol: string;
  readonly model: string;
  readonly input: JsonObject;
  readonly callbackUrl: string | null;
  /** `x-sandbox` as its creator sent it. */
  readonly header: string;
  readonly directives: TaskDirectives;
  /** Before every link of this task: `http://HOST:PORT`, as its creator reached us. */
  readonly origin: string;
  /** Whose task it is; for signing and for private results. Never shown. */
  readonly apiKey: string;
  /** Unix ms, as all times here. */
  readonly createdAt: number;
  /** It was under way when the sandbox ended, and begins anew. */
  readonly resumed: boolean;
  startedAt: number | null;
  endedAt: number | null;
  phase: TaskPhase;
  failure: TaskFailure | null;
  results: readonly string[];
  /** In the provider's unit. */
  cost: string;
  polls: number;
  /** Every delivery that was tried: the answer's status, or why there was none. */
  readonly webhooks: (number | string)[];
  /** How often a result of it was asked for. */
  downloads: number;
  /** Ends the waiting of the code that runs it. */
  readonly stop: AbortController;
}

/**
 * How far a task is, 0 to 100: of its running time, or the figures it was told to show, one per
 * poll.
 */
export function progressOf(task: Task, now: number, runMs: number): number {
  if (task.phase === "succeeded") return 100;
  const reported = task.directives.progress;
  if (reported !== null)
    return reported[Math.min(reported.length, Math.max(1, task.polls)) - 1] ?? 0;
  if (task.startedAt === null || task.phase !== "running") return 0;
  return Math.min(99, Math.floor((100 * (now - task.startedAt)) / Math.max(1, runMs)));
}

/** How many are before it; those it was told to show, one per poll. */
export function positionOf(task: Task): number {
  const reported = task.directives.position;
  return reported === null
    ? 0
    : (reported[Math.min(reported.length, Math.max(1, task.polls)) - 1] ?? 0);
}
