/** What was spent with a key, and what its own limit still allows. */
import type { Db } from "../../db/database.ts";
import { assert } from "../../kernel/assert.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import type { BudgetState } from "../../ledger/budgets.store.ts";
import { budgetState } from "../../ledger/budgets.store.ts";
import { postAll } from "../../ledger/journals.store.ts";

/** With all that has ended before. */
export async function readKeySpend(db: Db, key: Pick<KeyRecord, "keyId">): Promise<BudgetState> {
  await postAll(db);
  const budget = (await budgetState(db, [key.keyId])).get(key.keyId);
  assert(budget !== undefined, "every key has its budget in the ledger");
  return budget;
}
