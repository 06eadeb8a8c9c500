/** The keys of an account with what was spent by each and what its limit leaves. */
import { findAccount } from "../../accounts/store.ts";
import type { Db } from "../../db/database.ts";
import { isUuid } from "../../kernel/ids.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import { listKeys as keysPage } from "../../keys/store.ts";
import type { BudgetState } from "../../ledger/budgets.store.ts";
import { budgetState } from "../../ledger/budgets.store.ts";
import { postAll } from "../../ledger/journals.store.ts";
import type { Page, PageRequest } from "../../serving/read-page.ts";
import { readPage } from "../../serving/read-page.ts";

export interface ListedKey {
  readonly key: KeyRecord;
  /**
   * Spend and limit; null only for a key whose budget is missing, which `ledger verify` would tell.
   */
  readonly budget: BudgetState | null;
}

export type ListedKeys =
  | ({ readonly kind: "page" } & Page<ListedKey>)
  | { readonly kind: "unknown-account" };

/**
 * Newest first, without deleted ones. Throws Fault("invalid_request") on a limit or cursor that
 * cannot be.
 */
export async function listKeys(
  db: Db,
  accountId: string,
  request: PageRequest,
): Promise<ListedKeys> {
  if (!isUuid(accountId) || (await findAccount(db, accountId)) === null)
    return { kind: "unknown-account" };
  await postAll(db);
  const page = await readPage(
    request,
    (part) => keysPage(db, { accountId, ...part }),
    (key) => key.keyId,
  );
  const budgets = await budgetState(
    db,
    page.rows.map(({ keyId }) => keyId),
  );
  return {
    kind: "page",
    rows: page.rows.map((key) => ({ key, budget: budgets.get(key.keyId) ?? null })),
    next: page.next,
  };
}
