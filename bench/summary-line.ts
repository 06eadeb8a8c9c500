/**
 * The last line of the short form: what Tollgate costs against the bare proxy and against Portkey.
 */
import { formatNumber } from "./format-value.ts";
import { median } from "./figure.ts";
import type { Judgement } from "./judge-budgets.ts";

export function summaryLine(judgements: readonly Judgement[]): string {
  const parts = judgements.flatMap(({ budget, figure, verdict }) => {
    if (figure === null || budget.unit !== "") return [];
    const compared = `${figure.subject.replace("Tollgate ", "")}, ${figure.name}`;
    const limit = `${budget.bound === "at most" ? "≤" : "≥"} ${budget.limit}`;
    return [
      `${figure.measure} ${compared} ${formatNumber(median(figure.values))} (${limit}${verdict === "holds" ? "" : ", BREACHED"})`,
    ];
  });
  return parts.length === 0 ? "no ratio was measured" : `Tollgate: ${parts.join("; ")}`;
}
