/**
 * What an account's requests and tasks of one day cost or took, the most first: those that have
 * ended, by page.
 */
import type { RequestOrder } from "../../../contract/enums/request-order.ts";
import type { PanelRequest } from "../../../contract/panel/panel-request.ts";
import { sayRefusal } from "../../../contract/sentences/say-refusal.ts";
import { assert } from "../../../kernel/assert.ts";
import { Fault } from "../../../kernel/faults.ts";
import { isUuid, type Uuid } from "../../../kernel/ids.ts";
import type { Books } from "../../past/books.ts";
import { idBounds } from "../../requests/id-bounds.ts";
import { isArchived } from "./is-archived.ts";
import { keyIdsOf } from "./key-scope.ts";
import type { AccountRequestQuery } from "./list-account-requests.ts";
import { requestsByIds } from "./requests-by-ids.ts";
import { sortedIds, type SortedPlace } from "./sorted-requests.store.ts";

export interface SortedQuery extends Omit<AccountRequestQuery, "before"> {
  readonly order: Exclude<RequestOrder, "time">;
  readonly cursor: string | null;
}

export interface SortedPage {
  readonly rows: readonly PanelRequest[];
  readonly next: string | null;
}

/** A day on which clocks are set back is as long. */
const LONGEST_MS = 25 * 3_600_000;
const SORTED_MAX = 100_000;

/**
 * Throws Fault("invalid_request") where the time is no day, is archived, or has more than
 * SORTED_MAX of them, and on a cursor that this list did not give; Fault("not_found") for a key that
 * is not the account's.
 */
export async function sortAccountRequests(
  books: Books,
  accountId: Uuid,
  query: SortedQuery,
): Promise<SortedPage> {
  const { from, to, model, state, kind, order, limit, ownerId = null, weights = null } = query;
  const after = query.cursor === null ? null : readSortedCursor(query.cursor);
  if (from === null || to === null || to.getTime() - from.getTime() > LONGEST_MS)
    throw new Fault("invalid_request", { ...sayRefusal("sort_one_day"), param: "order" });
  const { cursor, floor } = idBounds({ before: null, from, to });
  assert(cursor !== null && floor !== null, "a time with both ends has both bounds");
  if (await isArchived(books, { from, to }))
    throw new Fault("invalid_request", { ...sayRefusal("sort_archived"), param: "order" });
  const keyIds = await keyIdsOf(books, { accountId, ownerId }, query.keyHash);
  const found = await sortedIds(
    books,
    {
      accountId,
      keyIds,
      model,
      state,
      kind,
      weights,
      cursor,
      floor,
      order,
      after,
      limit: limit + 1,
    },
    SORTED_MAX + 1,
  );
  if ((found[0]?.sorted ?? 0n) > SORTED_MAX)
    throw new Fault("invalid_request", {
      ...sayRefusal("rows_most", { limit: SORTED_MAX }),
      param: "order",
    });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return {
    rows: await requestsByIds(books, accountId, page),
    next: found.length > limit && last !== undefined ? sortedCursor(last) : null,
  };
}

/** What it weighs, and its id: nothing that is booked meanwhile moves what comes after it. */
export function sortedCursor({ weight, id }: SortedPlace): string {
  return `${weight}_${id}`;
}

const CURSOR = /^(-?\d{1,18})_(.{36})$/;

export function readSortedCursor(cursor: string): SortedPlace {
  const [, weight = "", id = ""] = CURSOR.exec(cursor) ?? [];
  if (!isUuid(id))
    throw new Fault("invalid_request", {
      message: "cursor: take it from `nextCursor` of the page before.",
      param: "cursor",
    });
  return { weight: BigInt(weight), id };
}
