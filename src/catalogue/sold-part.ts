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

/**
 * Whether lines of batches go to a batch of this upstream's own, which takes its price for batches;
 * to another they go one by one, at what a request costs.
 */
export type HasBatches = (upstream: string) => boolean;

/** Of the routes that say what they cost; null: none does. */
export function dearest(costs: readonly (Nano | null)[]): Nano | null {
  return costs.reduce<Nano | null>(
    (most, cost) => (most === null || cost === null ? (most ?? cost) : maxNano(most, cost)),
    null,
  );
}
