/**
 * Of what changes in the prices of a catalogue as it is written, what the list of changed prices
 * does not say already: multipliers, bounds of calls, prices that begin or end.
 */
import type { CatalogueChanges } from "../../../../src/contract/panel/operator-catalogue.ts";
import type { PriceStep } from "../../../../src/contract/price/price-step.ts";

type Written = CatalogueChanges["pricesChanged"][number];

export function unlistedChanges(
  written: readonly Written[],
  steps: readonly PriceStep[],
): readonly Written[] {
  return written.filter(({ model, before, after }) => {
    const own = steps.filter((step) => step.model === model);
    const listed = own.some((step) => step.before === before && step.after === after);
    // A task's table is written as one line: where only its amounts differ, the list has them.
    const onlyAmounts = own.length > 0 && isLine(before) && shapeOf(before) === shapeOf(after);
    return !listed && !onlyAmounts;
  });
}

function isLine(text: string): boolean {
  return text.includes(" × ");
}

function shapeOf(text: string): string {
  return text.replaceAll(/\d+(?:\.\d+)?/g, "#");
}
