/** What was spent with a key, and what its own limit still allows. */
import type { Queryable } from "../../db/database.ts";
import { assert } from "../../kernel/assert.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import type { BudgetState } from "../../ledger/budgets.store.ts";
import { budgetState } from "../../ledger/budgets.store.ts";

export async function readKeySpend(
  q: Queryable,
  key: Pick<KeyRecord, "keyId">,
): Promise<BudgetState> {
  const budget = (await budgetState(q, [key.keyId])).get(key.keyId);
  assert(budget !== undefined, "every key has its budget in the ledger");
  return budget;
}
