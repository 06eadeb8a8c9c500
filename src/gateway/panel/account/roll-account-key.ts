/** Gives a key's place to a new one with the same settings; the old one lives on for a while, so that programs can follow. */
import type { PanelKeyMade } from "../../../contract/panel/panel-key.ts";
import type { Db } from "../../../db/database.ts";
import { assert } from "../../../kernel/assert.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { Fault } from "../../../kernel/faults.ts";
import { newUuid, type Uuid } from "../../../kernel/ids.ts";
import { rateLimitsOf } from "../../../kernel/rate-limits.ts";
import { hashKeySecret, maskKeySecret, newKeySecret } from "../../../kernel/secrets.ts";
import { replaceKey } from "../../../keys/change.store.ts";
import { insertKey, markKeyDeleted } from "../../../keys/store.ts";
import { budgetState, closeBudget, openBudget } from "../../../ledger/budgets.store.ts";
import { followRolledKey } from "../../alerts/follow-rolled-key.ts";
import { lockAccountKey } from "./change-account-key.ts";
import { keyView } from "./key-view.ts";

/**
 * Of a limit by day or month the new key has the whole, so for as long as both live they may spend it twice; of a total one it has what the
 * old one had left. Alerts about the old key are about the new one from then on. Without an overlap the old key is deleted. A key is rolled once, so a second click makes no third key.
 * Faults: `not_found`; `conflict` for a key that was rolled, deleted, or has expired.
 */
export async function rollAccountKey(
  db: Db,
  clock: Clock,
  accountId: Uuid,
  { hash, overlapHours }: { readonly hash: string; readonly overlapHours: number },
): Promise<PanelKeyMade> {
  const secret = newKeySecret();
  const keyId = newUuid();
  return db.transaction(async (tx) => {
    const old = await lockAccountKey(tx, accountId, hash);
    if ((old.rolledTo ?? null) !== null)
      throw new Fault("conflict", { message: "This key was rolled before: roll the one that took its place." });
    if (old.expiresAt !== null && old.expiresAt <= clock.now()) {
      throw new Fault("conflict", { message: "This key has expired: give it a later expiry first, or make a new key." });
    }
    const budget = (await budgetState(tx, [old.keyId])).get(old.keyId);
    assert(budget !== undefined, "every key has its budget in the ledger");
    const { name, expiresAt, models, ips } = old;
    const key = await insertKey(tx, {
      keyId,
      accountId,
      hash: hashKeySecret(secret),
      mask: maskKeySecret(secret),
      name,
      expiresAt,
      models,
      ips,
      ...rateLimitsOf(old),
    });
    const { period, limitNano, availableNano } = budget;
    await openBudget(tx, { budgetId: keyId, accountId, limitNano: period === "total" ? availableNano : limitNano, period });
    await replaceKey(tx, old, { keyId, overlapHours });
    await followRolledKey(tx, accountId, old, key);
    if (overlapHours === 0) {
      await markKeyDeleted(tx, old.hash);
      await closeBudget(tx, old.keyId);
    }
    return { secret, key: await keyView(tx, clock, key) };
  });
}
