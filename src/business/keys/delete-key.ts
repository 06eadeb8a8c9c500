/**
 * Deletes an API key exactly: its record and its budget in one transaction, then every process gives
 * back what it leased by it, so that from the answer on none admits a request with it.
 */
import type { Db, Tx } from "../../db/database.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import { findKeyByHash, markKeyDeleted } from "../../keys/store.ts";
import { closeBudget } from "../../ledger/budgets.store.ts";
import { recallForCommand } from "../../ledger/recall.ts";

export type DeleteKeyOutcome =
  | { readonly kind: "deleted"; readonly key: KeyRecord }
  | { readonly kind: "already-deleted"; readonly key: KeyRecord }
  | { readonly kind: "unknown-key" };

/**
 * `accountId` restricts it to the keys of one account; another's key is unknown then. Requests
 * admitted before finish and are charged. Every process is told the hash (`KEYS_CHANNEL`), so that
 * it forgets the key. `record` writes down in the transaction that it was deleted.
 */
export async function deleteKey(
  db: Db,
  request: { readonly hash: string; readonly accountId?: Uuid },
  record?: (tx: Tx, key: KeyRecord) => Promise<void>,
): Promise<DeleteKeyOutcome> {
  const hash = request.hash.trim().toLowerCase();
  const outcome = await db.transaction<DeleteKeyOutcome>(async (tx) => {
    const found = await findKeyByHash(tx, hash);
    if (
      found === null ||
      (request.accountId !== undefined && found.accountId !== request.accountId)
    )
      return { kind: "unknown-key" };
    const deleted = await markKeyDeleted(tx, hash);
    // Another request was first, now or long ago; what was found may be from before.
    if (deleted === null)
      return { kind: "already-deleted", key: (await findKeyByHash(tx, hash)) ?? found };
    await closeBudget(tx, deleted.keyId);
    await record?.(tx, deleted);
    return { kind: "deleted", key: deleted };
  });
  // Also of one that was deleted before: that command may not have come so far.
  if (outcome.kind !== "unknown-key") await recallForCommand(db, outcome.key.accountId);
  return outcome;
}
