/** What part of the revenue is margin; what has no known cost is in neither. */
import type { DayFigures } from "../../../../src/contract/panel/operator-overview.ts";
import { plotAmount } from "../../ui/charts/chart-point.ts";

/** Null: no revenue has a known cost. */
export function marginShare({
  revenue,
  unknownCostRevenue,
  margin,
}: Pick<DayFigures, "revenue" | "unknownCostRevenue" | "margin">): number | null {
  const known = plotAmount(revenue) - plotAmount(unknownCostRevenue);
  return margin === null || known <= 0 ? null : plotAmount(margin) / known;
}
