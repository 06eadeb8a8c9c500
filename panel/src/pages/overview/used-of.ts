/** How much of a key's limit is used, held money included, as a share from 0 to 1. Pure. */
import type { PanelKeyLimit } from "../../../../src/contract/panel/panel-key.ts";
import { toUnits } from "../../ui/decimal.ts";

const FINE = 10_000n;

/** Never told as all of it while something is left. */
export function usedOf({ amount, remaining }: Pick<PanelKeyLimit, "amount" | "remaining">): number {
  const [whole, left] = [toUnits(amount), toUnits(remaining)];
  if (whole <= 0n || left <= 0n) return 1;
  return left >= whole ? 0 : Number(((whole - left) * FINE) / whole) / Number(FINE);
}
