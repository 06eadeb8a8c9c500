/** Accounts with their money and state, for operators. */
import { findBlocks, type Block } from "../../accounts/blocks.store.ts";
import type {
  AccountBlock,
  OperatorAccount,
  OperatorAccountList,
} from "../../contract/panel/operator-accounts.ts";
import type { Queryable } from "../../db/database.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { formatRoubles, ZERO_NANO } from "../../kernel/money.ts";
import { balances } from "../../ledger/accounts.store.ts";
import { readPage, type PageRequest } from "../../serving/read-page.ts";
import { findAccounts, spentByAccount, type FoundAccount } from "./find-accounts.store.ts";

export interface AccountQuery extends PageRequest {
  readonly search: string | null;
  readonly blocked: boolean | null;
}

const SPENT_DAYS = 30;

/** Newest first. */
export async function listAnyAccounts(
  q: Queryable,
  query: AccountQuery,
): Promise<OperatorAccountList> {
  const text = query.search?.trim() ?? "";
  const page = await readPage(
    query,
    (part) => findAccounts(q, { text: text === "" ? null : text, blocked: query.blocked, ...part }),
    ({ accountId }) => accountId,
  );
  return { data: await withMoney(q, page.rows), nextCursor: page.next };
}

export async function withMoney(
  q: Queryable,
  found: readonly FoundAccount[],
): Promise<OperatorAccount[]> {
  const ids = found.map(({ accountId }) => accountId);
  const [money, spent, blocks] = await Promise.all([
    balances(q, ids),
    spentByAccount(q, ids, SPENT_DAYS),
    findBlocks(q, ids),
  ]);
  return found.map(({ accountId, name, createdAt, emails }) => {
    const own = money.get(accountId);
    return {
      accountId,
      name,
      createdAt: createdAt.toISOString(),
      emails: [...emails],
      balance: formatRoubles(own?.balanceNano ?? ZERO_NANO),
      held: formatRoubles(own?.heldNano ?? ZERO_NANO),
      available: formatRoubles(own?.availableNano ?? ZERO_NANO),
      spent30Days: formatRoubles(spent.get(accountId) ?? ZERO_NANO),
      blocked: blockView(blocks.get(accountId)),
    };
  });
}

/** Whether the account of a member is blocked, for that member. */
export async function readBlock(q: Queryable, accountId: Uuid): Promise<AccountBlock> {
  return { blocked: blockView((await findBlocks(q, [accountId])).get(accountId)) };
}

function blockView(block: Block | undefined): AccountBlock["blocked"] {
  return block === undefined ? null : { at: block.at.toISOString(), reason: block.reason };
}
