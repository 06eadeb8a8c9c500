/**
 * What an upstream says that an answer costs, in roubles: where the catalogue says what its unit is
 * worth (contract §12).
 */
import type { Decimal } from "../../contract/price/decimal.ts";
import { multiply } from "../../contract/price/decimal.ts";
import { divideUp, nano, NANO_PER_ROUBLE, type Nano } from "../../kernel/money.ts";

/** Longer ones are no cost of one answer. */
const COST = /^(\d{1,9})(?:\.(\d{1,30}))?$/;

/** Null where the text is none. Rounded up once. */
export function reportedCost(costText: string, roublesPerUnit: Decimal): Nano | null {
  const [, whole, fraction = ""] = COST.exec(costText) ?? [];
  if (whole === undefined) return null;
  const roubles = multiply(
    { digits: BigInt(whole + fraction), scale: fraction.length },
    roublesPerUnit,
  );
  const amount = divideUp(roubles.digits * NANO_PER_ROUBLE, 10n ** BigInt(roubles.scale));
  try {
    return nano(amount);
  } catch {
    // Beyond what the ledger can hold: it is no cost of one answer either.
    return null;
  }
}
