/** Where each step from the revenue down to the margin begins and ends. */
import type { DayFigures } from "../../../../src/contract/panel/operator-overview.ts";
import { plotAmount } from "../../ui/charts/chart-point.ts";

export interface WaterfallStep {
  readonly name: "revenue" | "cost" | "unknownCost" | "margin" | "loss";
  readonly amount: string;
  /** Only a picture of the figures. */
  readonly from: number;
  readonly to: number;
  /** It is taken away. */
  readonly minus: boolean;
}

export interface Steps {
  readonly steps: readonly WaterfallStep[];
  readonly lowest: number;
  /** Above the lowest, also where nothing has come in. */
  readonly highest: number;
}

/** What was delivered unpaid stands below the margin: its cost is among the costs already. */
export function waterfallSteps({
  revenue,
  cost,
  unknownCostRevenue,
  margin,
  loss,
}: Pick<DayFigures, "revenue" | "cost" | "unknownCostRevenue" | "margin" | "loss">): Steps {
  const top = plotAmount(revenue);
  const steps: WaterfallStep[] = [
    { name: "revenue", amount: revenue, from: 0, to: top, minus: false },
  ];
  let level = top;
  const fall = (name: WaterfallStep["name"], amount: string): void => {
    const next = level - plotAmount(amount);
    steps.push({ name, amount, from: level, to: next, minus: true });
    level = next;
  };
  if (plotAmount(unknownCostRevenue) > 0) fall("unknownCost", unknownCostRevenue);
  if (cost !== null) fall("cost", cost);
  if (margin !== null)
    steps.push({ name: "margin", amount: margin, from: 0, to: plotAmount(margin), minus: false });
  const size = plotAmount(loss);
  if (size > 0) steps.push({ name: "loss", amount: loss, from: 0, to: size, minus: false });
  const ends = steps.flatMap(({ from, to }) => [from, to]);
  const [lowest, highest] = [Math.min(0, ...ends), Math.max(0, ...ends)];
  return { steps, lowest, highest: highest > lowest ? highest : lowest + 1 };
}
