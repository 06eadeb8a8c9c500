/**
 * Whether a new payment needs a fiscal receipt (54-FZ), and what it says: by the catalogue's list,
 * and by what the shop has refused.
 */
import type { DatedReceiptTerms } from "../../catalogue/catalogue.ts";
import type { ReceiptTerms } from "../../contract/receipt-terms.ts";
import type { Clock } from "../../kernel/clock.ts";

/** `missing`: the shop demands one and nothing in force says what it is to say. */
export type ReceiptNeed =
  | { readonly kind: "none" }
  | { readonly kind: "needed"; readonly terms: ReceiptTerms }
  | { readonly kind: "missing" };

export interface ReceiptRule {
  now(): ReceiptNeed;
  /** The shop refused a payment because it had no receipt: it demands them. */
  demanded(): void;
}

/** A shop's setting may be changed at the provider: after this long it is asked again. */
const DEMAND_HOLDS_MS = 10 * 60_000;

export function createReceiptRule(deps: {
  readonly clock: Clock;
  list(): readonly DatedReceiptTerms[];
}): ReceiptRule {
  const { clock } = deps;
  let demandedAtMs: number | null = null;
  return {
    now() {
      const list = deps.list();
      const inForce = list.findLast(({ from }) => from <= clock.now());
      if (inForce !== undefined) return { kind: "needed", terms: inForce.terms };
      const demands = demandedAtMs !== null && clock.monotonicMs() - demandedAtMs < DEMAND_HOLDS_MS;
      // A list that begins later says already that this shop issues receipts.
      return list.length > 0 || demands ? { kind: "missing" } : { kind: "none" };
    },
    demanded() {
      demandedAtMs = clock.monotonicMs();
    },
  };
}
