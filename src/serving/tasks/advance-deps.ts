/** What the engine of tasks is made of, what it tells, and its bounds. */
import type { Catalogue } from "../../catalogue/catalogue.ts";
import type { TaskProtocol } from "../../contract/enums/upstream-protocol.ts";
import type { TaskErrorCode } from "../../contract/task-error-codes.ts";
import type { Db } from "../../db/database.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { Nano } from "../../kernel/money.ts";
import type { Outgoing } from "../../net/outgoing.ts";
import type { SafeFetch } from "../../net/safe-fetch.ts";
import type { LaneKind } from "../../tasks/lane.ts";
import type { UpstreamCost } from "../../tasks/task-record.ts";
import type { TaskAdapter } from "../../upstreams/tasks/task-adapter.ts";
import type { Intake } from "../files/intake.ts";
import type { TakeMedia } from "../files/take-media.ts";
import type { CircuitBreakers } from "../routing/circuit-breakers.ts";
import type { ConcurrencyLimiter } from "../routing/concurrency-limiter.ts";

/** What an operator has to hear of. Reasons may be a provider's own words. */
export type TaskAlert =
  /**
   * It is unknown whether the upstream has it; the money stays held until that is known, or for
   * `UNKNOWN_FOR_MS`.
   */
  | {
      readonly kind: "submit_unknown";
      readonly taskId: Uuid;
      readonly upstream: string;
      readonly reason: string;
    }
  /**
   * It was never known: the task failed and its money went back, and the upstream may have made it
   * all the same.
   */
  | { readonly kind: "submit_lost"; readonly taskId: Uuid; readonly upstream: string }
  /** The upstream took it after it had ended here. */
  | {
      readonly kind: "orphan";
      readonly taskId: Uuid;
      readonly upstream: string;
      readonly upstreamTaskId: string;
    }
  /**
   * The upstream finished it after it had failed here by its deadline: we may be charged for it,
   * the customer is not.
   */
  | {
      readonly kind: "late_success";
      readonly taskId: Uuid;
      readonly upstream: string;
      readonly cost: UpstreamCost | null;
    }
  /** Our account there, or a credential that is not set. */
  | { readonly kind: "operator"; readonly upstream: string; readonly reason: string }
  /** So many looks in a row told nothing. */
  | {
      readonly kind: "silent";
      readonly taskId: Uuid;
      readonly upstream: string;
      readonly polls: number;
      readonly reason: string;
    }
  /**
   * The ledger had ended its hold already: `tollgate ledger verify` and `tasks reconcile` tell
   * more.
   */
  | { readonly kind: "money"; readonly taskId: Uuid; readonly verdict: string };

/**
 * What a provider said when it did not do what it was asked for, without the credential: for the
 * log.
 */
export interface ProviderWords {
  readonly taskId: Uuid;
  readonly upstream: string;
  readonly step: "submit" | "poll";
  readonly outcome: string;
  readonly words: string;
}

/** One step of one task is over. */
export interface StepReport {
  readonly step: LaneKind;
  readonly model: string;
  readonly upstream: string | null;
  /** A word of a short list: `taken`, `accepted`, `busy`, `completed`, `failed` … */
  readonly outcome: string;
  readonly ms: number;
}

/** A task is over, and this became of its hold. */
export interface TaskEndReport {
  readonly model: string;
  readonly outcome: "completed" | TaskErrorCode;
  readonly chargedNano: Nano;
  readonly releasedNano: Nano;
}

/** How much of each kind of work one engine does at once. */
export interface EngineLimits {
  /** Tasks whose media are fetched: in all, and of one account. */
  readonly ingest: number;
  readonly ingestOfAccount: number;
  readonly submit: number;
  readonly submitOfModel: number;
  /**
   * Tasks of one upstream that are leased to be polled; how many are asked for at once is the
   * upstream's `maxConcurrent`.
   */
  readonly pollOfUpstream: number;
  readonly collect: number;
  readonly collectOfUpstream: number;
  readonly leaseMs: number;
  /** Without any word of new work, the database is asked at least so often. */
  readonly idleMs: number;
}

export const ENGINE_LIMITS: EngineLimits = {
  ingest: 32,
  ingestOfAccount: 4,
  submit: 128,
  submitOfModel: 16,
  pollOfUpstream: 1_000,
  collect: 16,
  collectOfUpstream: 8,
  leaseMs: 60_000,
  idleMs: 1_000,
};

export interface TaskEngineDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly adapters: Readonly<Record<TaskProtocol, TaskAdapter>>;
  /**
   * The one in force: its routes and upstreams count. Prices were frozen when the task was ordered.
   */
  readonly catalogue: { current(): { readonly catalogue: Catalogue } };
  /** The value of a credential that the catalogue names; undefined when it is not set. */
  credential(name: string): string | undefined;
  /** How routes fare and how many calls run: one memory with all else that this process calls. */
  readonly health: CircuitBreakers;
  readonly places: ConcurrencyLimiter;
  readonly takeMedia: TakeMedia;
  /** For results: its quota is none, since what was paid for is not refused. */
  readonly resultIntake: Intake;
  readonly safeFetch: Pick<SafeFetch, "get">;
  /** For results that are given to the credential only. */
  readonly outgoing: Pick<Outgoing, "send">;
  /** The most that one result may have. */
  readonly resultLimitBytes: number;
  /** Where our stored files are, without a slash at its end. */
  staticUrl(): string;
  /** Where an upstream may report on an attempt; null: nowhere. */
  callbackUrl(upstream: string, attemptId: Uuid): string | null;
  /** Numbers in [0, 1). */
  random(): number;
  onAlert(alert: TaskAlert): void;
  onWords(reported: ProviderWords): void;
  onStep(report: StepReport): void;
  onEnded(report: TaskEndReport): void;
  /** Hears of what went wrong on our side; the step is tried again. */
  onError(what: string, error: unknown): void;
  readonly limits?: Partial<EngineLimits>;
}

/** What the steps of one engine share. */
export interface EngineParts extends Omit<TaskEngineDeps, "limits"> {
  readonly limits: EngineLimits;
  /** Something is due now. */
  wake(): void;
  /** Aborted when whatever is still under way has to stop. */
  readonly halt: AbortSignal;
}
