/** What an upstream's report of its usage comes to, whichever protocol it came in. */
import type { WordedReason } from "../contract/operator/upstream-reason.ts";
import type { TokenUsage } from "../kernel/token-usage.ts";

/**
 * How often the upstream itself says that it ran the model for one answer, so many context windows
 * were read.
 */
interface Ran {
  /** At least 1. */
  readonly samplings: number;
  /**
   * A detail that cannot be true was cut to fit, and how: for the log and the operator. The totals
   * stand.
   */
  readonly note?: string;
  /**
   * It says for how long lives what was written to a cache: all of it for five minutes where
   * nothing lives for an hour.
   */
  readonly livesReported?: true;
}

/**
 * `absent`: nothing was said (missing, null, or an object without any count). `valid`: believed as
 * far as its own arithmetic goes; an explicit zero is zero, not absent. `partial`: only one side of
 * it has been said, as at the start of a stream of the Messages protocol; the counts of the other
 * side are zero in `usage` and mean nothing. `unbelievable`: present, but no possible count of
 * tokens; `reason` is for the log.
 */
export type UsageReading =
  | { readonly kind: "absent" }
  | ({ readonly kind: "valid"; readonly usage: TokenUsage } & Ran)
  | ({
      readonly kind: "partial";
      readonly known: "input" | "output";
      readonly usage: TokenUsage;
    } & Ran)
  | ({ readonly kind: "unbelievable" } & WordedReason);

export const ABSENT_USAGE: UsageReading = { kind: "absent" };
