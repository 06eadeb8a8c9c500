/**
 * Margins of a catalogue as lines for a terminal: what is sold below its cost stands out by colour
 * and by word.
 */
import type { Margin, MarginRow } from "../contract/price/margin.ts";
import { alignColumns } from "./align-columns.ts";

const RED = "\u{1b}[31m";
const PLAIN = "\u{1b}[39m";

/**
 * `colour`: the text goes to a terminal. Models whose prices and costs stay as they are are shown
 * where something is below cost.
 */
export function marginLines(rows: readonly MarginRow[], colour: boolean): string[] {
  const shown = rows.flatMap((row) =>
    row.lines
      .filter(
        ({ before, after, belowCost }) =>
          belowCost || JSON.stringify(before) !== JSON.stringify(after),
      )
      .map((line) => ({ ...line, name: nameOf(row) })),
  );
  if (shown.length === 0) return [];
  const cells = shown.map(({ name, kind, before, after, belowCost }) => [
    name,
    kind,
    before === null ? "new" : describe(before),
    "→",
    after === null ? "gone" : describe(after),
    belowCost ? "BELOW COST" : "",
  ]);
  const lines = alignColumns([
    ["MODEL", "KIND", "BEFORE: PRICE, COST, MARGIN", "", "AFTER", ""],
    ...cells,
  ]);
  return lines.map((line, index) =>
    colour && shown[index - 1]?.belowCost === true ? `${RED}${line}${PLAIN}` : line,
  );
}

/** Empty where nothing is. */
export function lossLines(rows: readonly MarginRow[]): string[] {
  const models = [...new Set(rows.filter(({ belowCost }) => belowCost).map(({ model }) => model))];
  return models.length === 0 ? [] : [`Sold below cost: ${models.join(", ")}.`];
}

function nameOf({ model, tier, variant }: MarginRow): string {
  return [
    model,
    ...(variant === null ? [] : [variant]),
    ...(tier === null ? [] : [`above ${tier} tokens`]),
  ].join(", ");
}

function describe({ price, cost, margin, percent }: Margin): string {
  if (cost === null) return `${price}, cost not known`;
  return `${price}, ${cost}, ${margin ?? "-"}${percent === null ? "" : ` (${percent} %)`}`;
}
