/** From which share of failed calls on an upstream is at risk, and from which one it is bad. */

export type UpstreamJudgement = "good" | "warn" | "bad";

/** Of fewer calls a share says nothing. */
export const LEAST_CALLS = 10;
const WARN_FROM = 0.05;
const BAD_FROM = 0.2;

/** Null: there were too few calls to judge by. */
export function judgeErrors(calls: number, failed: number): UpstreamJudgement | null {
  if (calls < LEAST_CALLS) return null;
  const share = failed / calls;
  return share >= BAD_FROM ? "bad" : share >= WARN_FROM ? "warn" : "good";
}
