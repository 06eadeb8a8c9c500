/** Holds the figures against the budgets. */
import type { Budget } from "./budgets.ts";
import { median, type Figure } from "./figure.ts";

export interface Judgement {
  readonly budget: Budget;
  /** Null: it was not measured. */
  readonly figure: Figure | null;
  readonly verdict: "holds" | "breached" | "not measured";
}

/** A value that is no number holds no budget. */
export function judgeBudgets(budgets: readonly Budget[], figures: readonly Figure[]): Judgement[] {
  return budgets.map((budget) => {
    const [measure, subject, name] = budget.figure;
    const figure =
      figures.find(
        (one) => one.measure === measure && one.subject === subject && one.name === name,
      ) ?? null;
    if (figure === null) return { budget, figure, verdict: "not measured" };
    const value = median(figure.values);
    const holds = budget.bound === "at most" ? value <= budget.limit : value >= budget.limit;
    return { budget, figure, verdict: holds ? "holds" : "breached" };
  });
}

/** `owes`: what is missing although the run was to measure it counts as broken too. */
export function allHold(
  judgements: readonly Judgement[],
  owes: (budget: Budget) => boolean,
): boolean {
  return judgements.every(
    ({ budget, verdict }) => verdict === "holds" || (verdict === "not measured" && !owes(budget)),
  );
}
