/**
 * The port to providers of tasks: what may be asked of one, and every answer that the rest of the
 * house can hear.
 */
import type { WordedReason } from "../../contract/operator/upstream-reason.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { TaskErrorCode } from "../../contract/task-error-codes.ts";
import type { CancelMeaning, PollSchedule, TaskProvider } from "../../protocol/task-provider.ts";

/** What an adapter needs to know of a configured upstream (contract §12). */
export interface TaskUpstream {
  readonly name: string;
  readonly baseUrl: string;
  readonly timeoutsMs: {
    readonly connect: number;
    readonly firstByte: number;
    readonly idle: number;
  };
  /** `host` or `host:port` whose absolute URLs are followed like those of `baseUrl`. */
  readonly resultHosts: readonly string[];
  /** How its API is called, for the protocol `http-task`. */
  readonly task?: TaskProvider;
}

export interface TaskTarget {
  readonly upstream: TaskUpstream;
  readonly credential: string;
  /**
   * The upstream's model id. For a submission as the route has it: places such as `{variant}` are
   * filled with parameters. Later filled.
   */
  readonly model: string;
  /** The parameter table, `T1` to `T19`. */
  readonly table: string;
}

export interface TaskSubmission {
  /** Valid, with their defaults; media are URLs that the provider can reach. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Of this submission and no other; goes wherever the provider has a place for it. */
  readonly attemptId: Uuid;
  readonly callbackUrl: string | null;
  readonly deadlineSeconds: number;
}

/** What is kept of an accepted task for all later calls. Plain JSON; holds no credential. */
export interface TaskHandle {
  readonly upstreamTaskId: string;
  /** The model id with its places filled. */
  readonly model: string;
  /** ISO 8601. */
  readonly submittedAt: string;
  /** Absolute URLs that the provider returned, by the names its description gives them. */
  readonly urls: Readonly<Record<string, string>>;
}

/**
 * Money hangs on the difference: after `rejected`, `busy` and `operator` nothing runs there for
 * certain; after `unknown` it may run, and the submission must never be repeated blindly. A
 * `reason` is for operators only: it may hold the provider's own words, without the credential.
 */
export type SubmitOutcome =
  | { readonly kind: "accepted"; readonly handle: TaskHandle }
  | ({
      readonly kind: "rejected";
      readonly code: "provider_rejected" | "content_blocked" | "invalid_input";
    } & WordedReason)
  | ({
      readonly kind: "busy";
      readonly retryAfterMs: number | null;
      /** It did not say so itself: there was no way to it. Nothing was sent. */
      readonly unreached?: true;
    } & WordedReason)
  | ({ readonly kind: "operator" } & WordedReason)
  | ({ readonly kind: "unknown" } & WordedReason);

/**
 * Only `succeeded` and `failed` end a task. `unknown`: nothing was learned. `missing`: not visible
 * yet, soon after its submission.
 */
export type PollOutcome =
  | {
      readonly kind: "running";
      readonly progress: number | null;
      readonly queuePosition: number | null;
    }
  | {
      readonly kind: "succeeded";
      /** http(s), at least one. */
      readonly urls: readonly string[];
      /**
       * The files are given only with what `authorization` returns; all URLs lie where the
       * credential may go.
       */
      readonly authorize: boolean;
      readonly cost: { readonly amount: string; readonly unit: string } | null;
    }
  | ({ readonly kind: "failed"; readonly code: TaskErrorCode } & WordedReason)
  | { readonly kind: "missing" }
  | { readonly kind: "busy"; readonly retryAfterMs: number | null }
  | ({ readonly kind: "operator" } & WordedReason)
  | ({ readonly kind: "unknown" } & WordedReason);

export type LookUpOutcome =
  | { readonly kind: "found"; readonly handle: TaskHandle }
  | { readonly kind: "absent" }
  | { readonly kind: "unknown" };

/**
 * No method rejects: what goes wrong is an outcome. An aborted signal ends a call early, with the
 * outcome that is true then.
 */
export interface TaskAdapter {
  /**
   * The model id with its places filled, as a submission would send it; null: these parameters
   * cannot be submitted so.
   */
  modelOf(target: TaskTarget, parameters: TaskSubmission["parameters"]): string | null;
  submit(
    target: TaskTarget,
    submission: TaskSubmission,
    signal: AbortSignal,
  ): Promise<SubmitOutcome>;
  poll(target: TaskTarget, handle: TaskHandle, signal: AbortSignal): Promise<PollOutcome>;
  /**
   * Finds the task of an `unknown` submission by its attempt's id. `absent` only where the provider
   * is sure of it.
   */
  lookUp?(target: TaskTarget, attemptId: Uuid, signal: AbortSignal): Promise<LookUpOutcome>;
  cancel?(target: TaskTarget, handle: TaskHandle, signal: AbortSignal): Promise<CancelMeaning>;
  /**
   * Whose report this is. Nothing else of it is believed. `upstream` is needed for the protocol
   * `http-task`.
   */
  readCallback(
    headers: CallbackHeaders,
    body: Buffer,
    upstream?: TaskUpstream,
  ): { readonly upstreamTaskId: string } | null;
  /** The headers with which files are fetched after an outcome with `authorize`. */
  authorization(target: TaskTarget): Readonly<Record<string, string>>;
  readonly schedule: PollSchedule;
  /**
   * The same for one upstream; another than `schedule` where its description in the catalogue says
   * so.
   */
  scheduleOf(upstream: TaskUpstream): PollSchedule;
  /** So long after its submission a task may not be visible there yet. */
  graceMsOf(upstream: TaskUpstream): number;
}

/** Names in lower case. */
export type CallbackHeaders = Readonly<Record<string, string | string[] | undefined>>;
