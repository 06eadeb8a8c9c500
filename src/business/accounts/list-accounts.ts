/** The accounts with their members and money, for operators. */
import type { Member } from "../../accounts/store.ts";
import { listAccounts as accountsPage, membersOf } from "../../accounts/store.ts";
import type { Db } from "../../db/database.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { RateLimits } from "../../kernel/rate-limits.ts";
import type { Balance } from "../../ledger/accounts.store.ts";
import { balances } from "../../ledger/accounts.store.ts";
import { postAll } from "../../ledger/journals.store.ts";
import type { Page, PageRequest } from "../../serving/read-page.ts";
import { readPage } from "../../serving/read-page.ts";

/** With its rate limits. */
export interface ListedAccount extends RateLimits {
  readonly accountId: Uuid;
  readonly name: string;
  readonly createdAt: Date;
  readonly members: readonly Member[];
  /** Null only for an account whose books are missing, which `ledger verify` would tell. */
  readonly balance: Balance | null;
}

/** Newest first. Throws Fault("invalid_request") on a limit or cursor that cannot be. */
export async function listAccounts(db: Db, request: PageRequest): Promise<Page<ListedAccount>> {
  await postAll(db);
  const page = await readPage(
    request,
    (part) => accountsPage(db, part),
    (account) => account.accountId,
  );
  const ids = page.rows.map(({ accountId }) => accountId);
  const [members, money] = await Promise.all([membersOf(db, ids), balances(db, ids)]);
  const rows = page.rows.map((account) => ({
    ...account,
    members: members.filter(({ accountId }) => accountId === account.accountId),
    balance: money.get(account.accountId) ?? null,
  }));
  return { rows, next: page.next };
}
