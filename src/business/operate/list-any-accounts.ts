/** Accounts with their money and state, for operators. */
import { findBlocks, type Block } from "../../accounts/blocks.store.ts";
import type { AccountSort } from "../../contract/enums/account-sort.ts";
import type {
  AccountBlock,
  OperatorAccount,
  OperatorAccountList,
} from "../../contract/panel/operator-accounts.ts";
import type { Queryable } from "../../db/database.ts";
import { Fault } from "../../kernel/faults.ts";
import { isUuid, type Uuid } from "../../kernel/ids.ts";
import { LIST_PAGE_DEFAULT } from "../../kernel/limits.ts";
import { formatRoubles, ZERO_NANO } from "../../kernel/money.ts";
import { balances } from "../../ledger/accounts.store.ts";
import { readPage, type PageRequest } from "../../serving/read-page.ts";
import { notesOf } from "./account-notes.store.ts";
import {
  findAccounts,
  lastUsedByAccount,
  sortAccounts,
  spentByAccount,
  type FoundAccount,
  type SortedPlace,
} from "./find-accounts.store.ts";

export interface AccountFilters {
  readonly search: string | null;
  readonly blocked: boolean | null;
  /** Null: with any, and with none. */
  readonly tag?: string | null;
  /** Absent: the newest first. */
  readonly sort?: AccountSort;
}

export interface AccountQuery extends AccountFilters, PageRequest {}

const SPENT_DAYS = 30;

/** Throws Fault("invalid_request") on a limit or cursor that cannot be. */
export async function listAnyAccounts(
  q: Queryable,
  query: AccountQuery,
): Promise<OperatorAccountList> {
  const { sort = "newest", blocked, tag = null } = query;
  const words = query.search?.trim() ?? "";
  const search = { text: words === "" ? null : words, blocked, tag };
  if (sort === "newest") {
    const page = await readPage(
      query,
      (part) => findAccounts(q, { ...search, ...part }),
      ({ accountId }) => accountId,
    );
    return { data: await withMoney(q, page.rows), nextCursor: page.next };
  }
  const limit = query.limit ?? LIST_PAGE_DEFAULT;
  const after = readPlace(query.cursor ?? null);
  const found = await sortAccounts(q, sort, { ...search, after, limit: limit + 1 });
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return {
    data: await withMoney(q, rows),
    nextCursor:
      found.length > limit && last !== undefined ? `${last.value}_${last.accountId}` : null,
  };
}

function readPlace(cursor: string | null): SortedPlace | null {
  if (cursor === null) return null;
  const [, value, accountId = ""] = /^(-?\d{1,18})_(.*)$/.exec(cursor) ?? [];
  if (value === undefined || !isUuid(accountId)) {
    throw new Fault("invalid_request", {
      message: "cursor: take it from `nextCursor` of the page before.",
      param: "cursor",
    });
  }
  return { value: BigInt(value), accountId };
}

export async function withMoney(
  q: Queryable,
  found: readonly FoundAccount[],
): Promise<OperatorAccount[]> {
  const ids = found.map(({ accountId }) => accountId);
  const [money, spent, used, notes, blocks] = await Promise.all([
    balances(q, ids),
    spentByAccount(q, ids, SPENT_DAYS),
    lastUsedByAccount(q, ids),
    notesOf(q, ids),
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
      lastUsedAt: used.get(accountId)?.toISOString() ?? null,
      tags: [...(notes.get(accountId)?.tags ?? [])],
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
