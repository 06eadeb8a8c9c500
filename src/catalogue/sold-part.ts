/** One model in one tier and variant, and what it sells there, by kind. */
import type { PriceAndCost } from "../contract/price/margin.ts";
import type { Nano } from "../kernel/money.ts";
import { maxNano } from "../kernel/money.ts";

export interface SoldPart {
  /** Above so many prompt tokens; null: below all tiers, and tasks. */
  readonly tier: number | null;
  /** Such as `serviceTier: priority`; null: the base. */
  readonly variant: string | null;
  readonly kinds: ReadonlyMap<string, PriceAndCost>;
}

/** Of the routes that say what they cost; null: none does. */
export function dearest(costs: readonly (Nano | null)[]): Nano | null {
  return costs.reduce<Nano | null>(
    (most, cost) => (most === null || cost === null ? (most ?? cost) : maxNano(most, cost)),
    null,
  );
}
