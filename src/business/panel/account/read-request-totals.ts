/** What the requests that a filter finds add up to: the line above the list. */
import { CURRENCY } from "../../../contract/enums/currency.ts";
import type { RequestTotals } from "../../../contract/panel/request-totals.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import { formatRoubles } from "../../../kernel/money.ts";
import { pastFileOf } from "../../../ledger/seals.store.ts";
import { countTaskRows } from "../../../tasks/tasks.store.ts";
import type { Books } from "../../past/books.ts";
import { firstIdAt } from "../../requests/first-id-at.ts";
import { idBounds, type IdBounds } from "../../requests/id-bounds.ts";
import { keyIdsOf } from "./key-scope.ts";
import type { AccountRequestQuery } from "./list-account-requests.ts";
import { meanOf } from "./read-usage.ts";
import { sumRequests } from "./request-totals.store.ts";

export type TotalsQuery = Pick<
  AccountRequestQuery,
  "keyHash" | "ownerId" | "model" | "state" | "kind" | "from" | "to"
>;

/** What no sum of hours has is counted one by one, up to here. */
const COUNTED_MAX = 10_000;
const UNFINISHED = ["queued", "processing"] as const;

/** Throws Fault("not_found") for a key that is not the account's. */
export async function readRequestTotals(
  books: Books,
  accountId: Uuid,
  query: TotalsQuery,
): Promise<RequestTotals> {
  const { model, state, kind, ownerId = null } = query;
  const keyIds = await keyIdsOf(books, { accountId, ownerId }, query.keyHash);
  const bounds = idBounds({ ...query, before: null });
  const search = { accountId, keyIds, model, state, kind, ...bounds };
  const sums = await sumRequests(books, search, COUNTED_MAX + 1);
  return {
    currency: CURRENCY,
    requests: Number(sums.requests),
    unfinished: await unfinishedTasks(books, search),
    errors: Number(sums.failed),
    charged: formatRoubles(sums.chargedNano),
    inputTokens: Number(sums.inputTokens),
    cachedTokens: Number(sums.cachedTokens),
    outputTokens: Number(sums.outputTokens),
    durationMs: meanOf(sums.lastedMs, sums.answered),
    timeToFirstTokenMs: meanOf(sums.firstMs, sums.firsts),
    atLeast: sums.counted > COUNTED_MAX || (sums.edges && (await isArchived(books, query))),
  };
}

async function unfinishedTasks(
  books: Books,
  {
    accountId,
    keyIds,
    model,
    state,
    kind,
    cursor,
    floor,
  }: { readonly accountId: Uuid; readonly keyIds: readonly Uuid[] | null } & Pick<
    TotalsQuery,
    "model" | "state" | "kind"
  > &
    IdBounds,
): Promise<number> {
  if (kind !== null && kind !== "task") return 0;
  let count = 0;
  for (const one of UNFINISHED) {
    if (state !== null && state !== one) continue;
    const page = { accountId, keyIds, model, state: one, before: cursor, floor };
    count += await countTaskRows(books, { ...page, limit: COUNTED_MAX - count });
  }
  return count;
}

/**
 * Whether what arrived first or last in a time is archived: entries of such months are not looked at
 * one by one.
 */
export async function isArchived(
  books: Books,
  { from, to }: Pick<TotalsQuery, "from" | "to">,
): Promise<boolean> {
  // The time ends right before `to`, which may be the first moment of the next month.
  const last = to === null ? null : new Date(to.getTime() - 1);
  for (const moment of [from, last])
    if (moment !== null && (await pastFileOf(books, firstIdAt(moment))) !== null) return true;
  return false;
}
