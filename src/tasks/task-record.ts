/** A task as its rows tell it: what was ordered, what became of it, and how far it is. */
import type { TaskEventKind } from "../contract/enums/task-event.ts";
import type { CostState, TaskState } from "../contract/enums/task-state.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";
import type { TaskErrorCode } from "../contract/task-error-codes.ts";

/** Which task, and whose: what every statement about one names. */
export interface TaskKey {
  readonly accountId: Uuid;
  readonly taskId: Uuid;
}

/**
 * The step that is to be done next. `held`: its media are to be taken. `ready`: it is to be
 * submitted. `submitting`: written before the call; a process that finds it so does not know
 * whether the upstream has it. `submit_unknown`: no process knows. `running`: the upstream has it.
 * `collecting`: its results are to be copied. `watching`: failed by its deadline, the upstream is
 * still asked now and then.
 */
export const TASK_PHASES = [
  "held",
  "ready",
  "submitting",
  "submit_unknown",
  "running",
  "collecting",
  "watching",
] as const;
export type TaskPhase = (typeof TASK_PHASES)[number];

export interface NewTask {
  /** Time-ordered; also the id of its hold. */
  readonly taskId: Uuid;
  readonly accountId: Uuid;
  readonly keyId: Uuid | null;
  readonly requestId: Uuid;
  readonly model: string;
  /** `T1` to `T19`. */
  readonly parameterTable: string;
  /** As accepted, defaults filled in. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Whether there are URLs of media among them; without any it can be submitted at once. */
  readonly hasMedia: boolean;
  /** Where its owner wants to hear of its end. */
  readonly callbackUrl: string | null;
  readonly priceVersion: number;
  /** What is held for it, and the most that is charged. */
  readonly priceNano: Nano;
  /** What 1, 2, … files cost, where the number of files decides (T4); null where it does not. */
  readonly priceByFilesNano: readonly Nano[] | null;
  /** From now. */
  readonly deadlineSeconds: number;
}

/** A file of ours that stands in for the URL at this place of the parameters. */
export interface MediaStandIn {
  readonly path: readonly (string | number)[];
  /** The last part of its URL. */
  readonly name: string;
  /**
   * As it was measured, in the media room's own words; absent: it was taken by an earlier version.
   */
  readonly facts?: unknown;
  readonly bytes?: number;
}

/** A result, in our storage. */
export interface ResultFile {
  /** The last part of its URL. */
  readonly name: string;
  readonly contentType: string;
  readonly bytes: number;
  readonly width: number | null;
  readonly height: number | null;
  readonly durationSeconds: number | null;
  /** ISO 8601 UTC. */
  readonly expiresAt: string;
}

export interface TaskResult {
  /** At least one. */
  readonly files: readonly ResultFile[];
}

export interface UpstreamCost {
  readonly amount: string;
  readonly unit: string;
}

export interface TaskRecord extends Omit<NewTask, "hasMedia" | "deadlineSeconds"> {
  readonly state: TaskState;
  readonly costState: CostState;
  /** Null until it is completed. */
  readonly chargedNano: Nano | null;
  readonly media: readonly MediaStandIn[] | null;
  /** Submissions begun; the fields after it are of the last one. */
  readonly attempts: number;
  readonly attemptId: Uuid | null;
  readonly upstream: string | null;
  readonly upstreamModel: string | null;
  readonly credentialName: string | null;
  /** JSON whose shape is the adapter's. */
  readonly handle: unknown;
  readonly upstreamCost: UpstreamCost | null;
  readonly upstreamCostNano: Nano | null;
  readonly result: TaskResult | null;
  readonly error: { readonly code: TaskErrorCode; readonly message: string } | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly completedAt: Date | null;
  readonly deadlineAt: Date;
  /** Null: nothing is left to be done. */
  readonly phase: TaskPhase | null;
  /** 0 to 1, as the upstream says. */
  readonly progress: number | null;
  readonly queuePosition: number | null;
  readonly cancelRequestedAt: Date | null;
}

export interface NewEvent {
  readonly kind: TaskEventKind;
  readonly detail?: Readonly<Record<string, unknown>>;
}

export interface TaskEvent {
  readonly kind: TaskEventKind;
  readonly detail: NewEvent["detail"] | null;
  /** Grows with every event of a task. */
  readonly seq: bigint;
  readonly at: Date;
}

export type CancelVerdict =
  /**
   * Ended now, before any upstream was asked: the caller releases its hold in the same transaction.
   */
  | { readonly kind: "canceled" }
  /**
   * An upstream has it, or may have it: it will be asked to stop. The task may still be completed,
   * and is charged then.
   */
  | { readonly kind: "requested" }
  | { readonly kind: "ended"; readonly state: TaskState }
  | { readonly kind: "missing" };
