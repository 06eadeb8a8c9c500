/** What an account owns, what of it is held, and what is free (contract §6). */
import type { Db, Queryable } from "../../db/database.ts";
import { assert } from "../../kernel/assert.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { Balance } from "../../ledger/accounts.store.ts";
import { balance } from "../../ledger/accounts.store.ts";
import { postAll } from "../../ledger/journals.store.ts";

/** With all that has ended before. The account must exist: a key names it. */
export async function readBalance(db: Db, accountId: Uuid): Promise<Balance> {
  await postAll(db);
  return balanceIn(db, accountId);
}

/** As the books stand in a transaction. */
export async function balanceIn(q: Queryable, accountId: Uuid): Promise<Balance> {
  const found = await balance(q, accountId);
  assert(found !== null, "an account that owns a key has its books");
  return found;
}
