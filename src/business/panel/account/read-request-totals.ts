/** What the requests that a filter finds add up to: the line above the list. */
import { CURRENCY } from "../../../contract/enums/currency.ts";
import type { RequestTotals } from "../../../contract/panel/request-totals.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import { formatRoubles } from "../../../kernel/money.ts";
import { countTaskRows } from "../../../tasks/tasks.store.ts";
import type { Books } from "../../past/books.ts";
import { idBounds, type IdBounds } from "../../requests/id-bounds.ts";
import { checkNotArchived, isArchived } from "./is-archived.ts";
import { keyIdsOf } from "./key-scope.ts";
import type { AccountRequestQuery } from "./list-account-requests.ts";
import { meanOf } from "./read-usage.ts";
import { sumRequests, type FoundTotals, type TotalsSearch } from "./request-totals.store.ts";
import { sumWeighed } from "./weighed-requests.store.ts";

export type TotalsQuery = Pick<
  AccountRequestQuery,
  "keyHash" | "ownerId" | "model" | "state" | "kind" | "from" | "to" | "weights"
>;

/** What no sum of hours has is counted one by one, up to here. */
const COUNTED_MAX = 10_000;
const UNFINISHED = ["queued", "processing"] as const;

/**
 * Throws Fault("not_found") for a key that is not the account's, Fault("invalid_request") where what
 * something cost is asked for of archived months.
 */
export async function readRequestTotals(
  books: Books,
  accountId: Uuid,
  query: TotalsQuery,
): Promise<RequestTotals> {
  const { model, state, kind, ownerId = null } = query;
  const keyIds = await keyIdsOf(books, { accountId, ownerId }, query.keyHash);
  const bounds = idBounds({ ...query, before: null });
  const { weights = null } = query;
  const search = { accountId, keyIds, model, state, kind, weights, ...bounds };
  const { sums, atLeast } = await (weights === null ? sumAll : sumByWeight)(books, search, query);
  return {
    currency: CURRENCY,
    requests: Number(sums.requests),
    // What they will cost and take is not known yet.
    unfinished: weights === null ? await unfinishedTasks(books, search) : 0,
    errors: Number(sums.failed),
    charged: formatRoubles(sums.chargedNano),
    inputTokens: Number(sums.inputTokens),
    cachedTokens: Number(sums.cachedTokens),
    outputTokens: Number(sums.outputTokens),
    durationMs: meanOf(sums.lastedMs, sums.answered),
    timeToFirstTokenMs: meanOf(sums.firstMs, sums.firsts),
    atLeast,
  };
}

type Summed = Omit<FoundTotals, "counted" | "edges">;

async function sumAll(
  books: Books,
  search: TotalsSearch,
  query: TotalsQuery,
): Promise<{ readonly sums: Summed; readonly atLeast: boolean }> {
  const sums = await sumRequests(books, search, COUNTED_MAX + 1);
  const atLeast = sums.counted > COUNTED_MAX || (sums.edges && (await isArchived(books, query)));
  return { sums, atLeast };
}

async function sumByWeight(
  books: Books,
  search: TotalsSearch,
  query: TotalsQuery,
): Promise<{ readonly sums: Summed; readonly atLeast: boolean }> {
  await checkNotArchived(books, query);
  const { sums, whole } = await sumWeighed(books, search);
  return { sums, atLeast: !whole };
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
