/** From which share of answered requests on a day a model did as it should, and from which badly. */

export type AnsweredJudgement = "good" | "weak" | "bad";

const GOOD_FROM = 0.98;
const BAD_BELOW = 0.9;

/** @param share 0 to 1. */
export function judgeAnswered(share: number): AnsweredJudgement {
  if (share >= GOOD_FROM) return "good";
  return share < BAD_BELOW ? "bad" : "weak";
}
