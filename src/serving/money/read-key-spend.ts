/** What was spent with a key, and what its own limit and its group's still allow. */
import type { Db } from "../../db/database.ts";
import { assert } from "../../kernel/assert.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import type { BudgetState } from "../../ledger/budgets.store.ts";
import { budgetState } from "../../ledger/budgets.store.ts";
import { postAll } from "../../ledger/journals.store.ts";

export interface KeySpend {
  readonly own: BudgetState;
  /** Null: the key is in no group. */
  readonly group: BudgetState | null;
}

/** With all that has ended before. */
export async function readKeySpend(
  db: Db,
  { keyId, groupId }: Pick<KeyRecord, "keyId" | "groupId">,
): Promise<KeySpend> {
  await postAll(db);
  const budgets = await budgetState(db, groupId === null ? [keyId] : [keyId, groupId]);
  const own = budgets.get(keyId);
  assert(own !== undefined, "every key has its budget in the ledger");
  return { own, group: groupId === null ? null : (budgets.get(groupId) ?? null) };
}
