/** What is asked of the limits, and what they answer. */
import type { Uuid } from "../kernel/ids.ts";
import type { RateLimits, RateStanding } from "../kernel/rate-limits.ts";

/** Whom limits are counted for, and the limits that are in force for it now. */
export interface LimitSubject {
  readonly subjectId: Uuid;
  readonly limits: RateLimits;
}

/**
 * One request, of one or two subjects: it gets in when all limits of all of them have room for it.
 */
export interface LimitRequest {
  readonly requestId: Uuid;
  readonly subjects: readonly [LimitSubject] | readonly [LimitSubject, LimitSubject];
  /**
   * What it is likely to use at least. A bucket that cannot hold so much has to be full, and gives
   * all it has.
   */
  readonly tokens: number;
}

export type LimitKind = "requests" | "tokens" | "concurrent";

export type LimitVerdict =
  /** `standing` is that of the tighter subject, limit by limit. */
  | { readonly kind: "admitted"; readonly standing: RateStanding }
  /** Nothing was taken. The limit that keeps it out the longest. */
  | { readonly kind: "refused"; readonly standing: RateStanding; readonly obstacle: Obstacle };

export interface Obstacle {
  readonly subjectId: Uuid;
  readonly kind: LimitKind;
  readonly limit: number;
  /**
   * Until there is room, if nothing else is asked for; null where that depends on when running
   * requests end.
   */
  readonly waitMs: number | null;
}

/** What a subject has used, as the database counts it. */
export interface SubjectUse {
  /** Sixty-millionths of a request. */
  readonly requests: bigint;
  /** Sixty-millionths of a token. */
  readonly tokens: bigint;
  readonly running: bigint;
}
