/**
 * Of the margins of a catalogue, those that an operator has to look at: of each price list the
 * thinnest, what changed, and all that is below cost.
 */
import type { MarginLine, MarginRow } from "../../../../src/contract/price/margin.ts";

export interface ShownMargin extends MarginLine, Pick<MarginRow, "model" | "tier" | "variant"> {
  readonly key: string;
  /** It changes, or is below cost. */
  readonly news: boolean;
}

export function shownMargins(rows: readonly MarginRow[]): readonly ShownMargin[] {
  return rows.flatMap(({ model, tier, variant, lines }) => {
    const thinnest = lines.reduce<MarginLine | undefined>(
      (held, line) => (held === undefined || isThinner(line, held) ? line : held),
      undefined,
    );
    return lines
      .map((line) => ({
        ...line,
        model,
        tier,
        variant,
        key: [model, tier, variant, line.kind].join("\n"),
        news: isNews(line),
      }))
      .filter(({ kind, news }) => news || kind === thinnest?.kind);
  });
}

function isNews({ before, after, belowCost }: MarginLine): boolean {
  return belowCost || before?.price !== after?.price || before?.cost !== after?.cost;
}

/**
 * Percents have one digit: they can be compared as numbers. One that is not known is shown only
 * where there is no other.
 */
function isThinner({ after }: MarginLine, held: MarginLine): boolean {
  const [mine, other] = [after?.percent ?? null, held.after?.percent ?? null];
  if (mine === null) return false;
  return other === null || Number(mine) < Number(other);
}
