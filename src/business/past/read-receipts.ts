/**
 * Receipts, one or by page, whether their months are in the database or in the archive. What is
 * archived is slower to find.
 */
import { ENTRY_COLUMNS, type ArchivedEntry } from "../../archive/entry-columns.ts";
import { newestRows } from "../../archive/newest-rows.ts";
import { ANSWERED_ENDPOINTS, kindOfEndpoint } from "../../contract/enums/chat-endpoint.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { pastFileOf, pastMonths } from "../../ledger/seals.store.ts";
import {
  listRequests,
  type ReceiptPage,
  type ReceiptSearch,
} from "../../usage/list-receipts.store.ts";
import type { StoredReceipt } from "../../usage/receipt-row.ts";
import { findAnyRequest, findRequest } from "../../usage/receipts.store.ts";
import type { Books } from "./books.ts";
import { receiptOf } from "./past-rows.ts";

/** As `listRequests`, of all months. */
export async function listReceipts(books: Books, search: ReceiptSearch): Promise<ReceiptPage> {
  const { limit } = search;
  const page = await listRequests(books, search);
  // A month that goes meanwhile is in both: what was read first has what the other lacks.
  const past = await pastReceipts(books, {
    ...search,
    floor: page.nextCursor ?? search.floor ?? null,
    limit: limit + 1,
  });
  if (past.length === 0) return page;
  const known = new Set(page.receipts.map(({ requestId }) => requestId));
  const all = [...page.receipts, ...past.filter(({ requestId }) => !known.has(requestId))];
  const receipts = all.toSorted((a, b) => (a.requestId < b.requestId ? 1 : -1)).slice(0, limit);
  const more = all.length > limit || page.nextCursor !== null;
  return { receipts, nextCursor: more ? (receipts.at(-1)?.requestId ?? null) : null };
}

async function pastReceipts(books: Books, search: ReceiptSearch): Promise<StoredReceipt[]> {
  const { accountId, keyIds = null, model, state, kind = null, limit } = search;
  const [cursor, floor] = [search.cursor ?? null, search.floor ?? null];
  const found: StoredReceipt[] = [];
  for (const { file, firstId, endId } of await pastMonths(books, accountId)) {
    if (found.length >= limit) break;
    if ((cursor !== null && firstId >= cursor) || (floor !== null && endId <= floor)) continue;
    const rows = await newestRows(await books.pastFile(file), ENTRY_COLUMNS, {
      where: { accountId },
      by: "entryId",
      within: { from: floor, below: cursor },
      among: {
        endpoint: ANSWERED_ENDPOINTS.filter(
          (endpoint) => kind === null || kindOfEndpoint(endpoint) === kind,
        ),
        ...(keyIds === null ? {} : { budgetId: keyIds }),
        ...((model ?? null) === null ? {} : { model: [model ?? null] }),
        ...((state ?? null) === null ? {} : { state: [state ?? null] }),
      },
      limit: limit - found.length,
    });
    found.push(...rows.map(receiptOf).filter((receipt) => receipt !== null));
  }
  return found;
}

/** Of this account; null: of whatever account. */
export async function findReceipt(
  books: Books,
  accountId: Uuid | null,
  requestId: Uuid,
): Promise<StoredReceipt | null> {
  const receipt =
    accountId === null
      ? await findAnyRequest(books, requestId)
      : await findRequest(books, accountId, requestId);
  if (receipt !== null) return receipt;
  const row = await findPast(books, accountId, requestId);
  return row === null ? null : receiptOf(row);
}

/** An archived entry by its id, which tells its month. */
export async function findPast(
  books: Books,
  accountId: Uuid | null,
  entryId: Uuid,
): Promise<ArchivedEntry | null> {
  const file = await pastFileOf(books, entryId);
  if (file === null) return null;
  const [row] = await newestRows(await books.pastFile(file), ENTRY_COLUMNS, {
    where: { entryId, ...(accountId !== null && { accountId }) },
    by: "entryId",
    within: { from: null, below: null },
    limit: 1,
  });
  return row ?? null;
}
