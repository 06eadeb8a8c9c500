/** What an account owns, what of it is held, and what is free (contract §6). */
import type { Queryable } from "../../db/database.ts";
import { assert } from "../../kernel/assert.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { Balance } from "../../ledger/accounts.store.ts";
import { balance } from "../../ledger/accounts.store.ts";

/** The account must exist: a key names it. */
export async function readBalance(q: Queryable, accountId: Uuid): Promise<Balance> {
  const found = await balance(q, accountId);
  assert(found !== null, "an account that owns a key has its books");
  return found;
}
