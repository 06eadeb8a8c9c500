/**
 * Stops keys for a while: exact as their deletion is, because the budget is closed with the key,
 * and undone by hand.
 */
import type { PanelKey } from "../../../contract/panel/panel-key.ts";
import type { Db } from "../../../db/database.ts";
import type { Clock } from "../../../kernel/clock.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import { freezeKeys, setKeyFrozen } from "../../../keys/change.store.ts";
import { closeBudget, closeBudgets, reopenBudget } from "../../../ledger/budgets.store.ts";
import { recallForCommand } from "../../../ledger/recall.ts";
import { lockAccountKey } from "./change-account-key.ts";
import { keyView } from "./key-view.ts";
import { findAccountKey } from "./list-account-keys.ts";

/** Again is as once. Faults: `not_found`; `conflict` for a key that was deleted. */
export async function setAccountKeyFrozen(
  db: Db,
  clock: Clock,
  accountId: Uuid,
  hash: string,
  frozen: boolean,
): Promise<PanelKey> {
  await db.transaction(async (tx) => {
    const key = await lockAccountKey(tx, accountId, hash);
    await setKeyFrozen(tx, key, frozen);
    if (frozen) await closeBudget(tx, key.keyId);
    else await reopenBudget(tx, key.keyId);
  });
  if (frozen) await recallForCommand(db, accountId);
  return keyView(db, clock, await findAccountKey(db, accountId, hash));
}

/** Returns how many were not frozen before. */
export async function freezeAccountKeys(db: Db, accountId: Uuid): Promise<number> {
  const frozen = await db.transaction(async (tx) => {
    const keyIds = await freezeKeys(tx, accountId);
    await closeBudgets(tx, keyIds);
    return keyIds.length;
  });
  await recallForCommand(db, accountId);
  return frozen;
}
