/** Ends a hold whose verdict was given up: it may have been made all the same. */
import type { Uuid } from "../../kernel/ids.ts";
import { ZERO_NANO } from "../../kernel/money.ts";
import type { SettlePipeline } from "./settle-pipeline.ts";

/** Longer than any statement may run in the database. */
const RELEASE_AFTER_MS = 15_000;

/**
 * Once whatever was in flight has been decided: a release that comes before its hold finds nothing,
 * and would be the last one. This process lives, so no other would end it.
 */
export function releaseLater(
  ledger: Pick<SettlePipeline, "settle" | "undecided">,
  accountId: Uuid,
  holdId: Uuid,
): void {
  const timer = setTimeout(() => {
    if (ledger.undecided) return releaseLater(ledger, accountId, holdId);
    ledger
      .settle({ accountId, holdId, chargeNano: ZERO_NANO, lossNano: ZERO_NANO, receipt: null })
      .catch(() => releaseLater(ledger, accountId, holdId));
  }, RELEASE_AFTER_MS);
  timer.unref();
}
