/**
 * How hard failures are taken: lightly where a caller waits for the answer, gravely where the call
 * can be made later and one that fails may be lost.
 */
import type { Backoff } from "../../kernel/backoff.ts";

export interface FailureRules {
  /** What rests is called all the same when nothing else is left. */
  readonly lastResort: boolean;
  /** Broken, silent or refused so often in a row, a route rests. */
  readonly restAfter: number;
  readonly brokenPauses: Backoff;
  /** And so often in a row it is not called at all any more. */
  readonly openAfter: number;
  readonly openPauses: Backoff;
  /** A refused credential and a model that the upstream does not know are mended by operators. */
  readonly refusedPauses: Backoff;
  /** A refused credential is a failure of its route as well. */
  readonly refusalIsFailure: boolean;
  /** A busy upstream that asks for longer is asked after so long. */
  readonly longestBusyMs: number;
  /** What waits for an open circuit, or for a probe under way, comes back no sooner. */
  readonly leastWaitMs: number;
}

/** A caller waits: a route in doubt is better than none. */
export const INTERACTIVE: FailureRules = {
  lastResort: true,
  restAfter: 3,
  brokenPauses: { firstMs: 5_000, longestMs: 60_000 },
  openAfter: 20,
  openPauses: { firstMs: 1_000, longestMs: 30_000 },
  refusedPauses: { firstMs: 30_000, longestMs: 600_000 },
  refusalIsFailure: true,
  longestBusyMs: 60_000,
  leastWaitMs: 0,
};

/**
 * The call can wait: nothing is called before its pause is over, and what failed three times is
 * open at once. A credential that an operator has mended is found out soon, because what waits for
 * it gives up in the end.
 */
export const DEFERRABLE: FailureRules = {
  lastResort: false,
  restAfter: Infinity,
  brokenPauses: { firstMs: 5_000, longestMs: 60_000 },
  openAfter: 3,
  openPauses: { firstMs: 5_000, longestMs: 60_000 },
  refusedPauses: { firstMs: 30_000, longestMs: 30_000 },
  refusalIsFailure: false,
  longestBusyMs: 300_000,
  leastWaitMs: 5_000,
};
