/**
 * Makes the results of what a run found: the budgets are judged, the books are judged, and the
 * program's exit code follows.
 */
import type { Budget } from "./budgets.ts";
import type { Machine } from "./describe-machine.ts";
import { judgeAudits } from "./judge-audits.ts";
import { allHold, judgeBudgets } from "./judge-budgets.ts";
import type { Results } from "./results.ts";
import type { Findings } from "./run-measures.ts";
import { summaryLine } from "./summary-line.ts";

export interface Run {
  readonly startedAt: Date;
  readonly seconds: number;
  readonly rounds: number;
  /** The commit of the other checkout that took part; null without one. */
  readonly against: string | null;
  /** Only the full form owes every figure. */
  readonly form: Results["form"];
  readonly machine: Machine;
}

export interface Conclusion {
  readonly results: Results;
  readonly lastLine: string;
  /**
   * 0: every budget holds that was measured, nothing went wrong, the books are in order; else 1.
   */
  readonly exitCode: 0 | 1;
}

/** A whole run owes every figure that it had the peers for. */
function owes({ form, against }: Run, budget: Budget): boolean {
  return form === "full" && (against !== null || budget.against !== true);
}

export function conclude(found: Findings, run: Run, budgets: readonly Budget[]): Conclusion {
  const judgements = judgeBudgets(budgets, found.figures);
  const failures = [...found.failures, ...judgeAudits(found.audits)];
  const good = allHold(judgements, (budget) => owes(run, budget)) && failures.length === 0;
  const verdict = good
    ? "All measured budgets hold."
    : "NOT GOOD: a budget is breached or something went wrong.";
  return {
    results: { ...run, startedAt: run.startedAt.toISOString(), judgements, ...found, failures },
    lastLine: run.form === "quick" ? summaryLine(judgements) : verdict,
    exitCode: good ? 0 : 1,
  };
}
