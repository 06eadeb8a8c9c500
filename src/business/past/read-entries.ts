/** An account's entries by page, or one of them, whether in the database or in the archive. */
import { ENTRY_COLUMNS } from "../../archive/entry-columns.ts";
import { newestRows, type RowSearch } from "../../archive/newest-rows.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { type Nano, nano, ZERO_NANO } from "../../kernel/money.ts";
import {
  type Entry,
  type EntryPage,
  type EntrySearch,
  findEntry,
  findLoss,
  kindsOf,
  listEntries,
  lossIdOf,
  readEntryCursor,
} from "../../ledger/entries.store.ts";
import { pastFileOf, type PastMonth, pastMonths } from "../../ledger/seals.store.ts";
import type { Books } from "./books.ts";
import { entryOf, microsOf } from "./past-rows.ts";
import { findPast } from "./read-receipts.ts";

/** As `listEntries`, of all months. */
export async function listAllEntries(books: Books, search: EntrySearch): Promise<EntryPage | null> {
  const { accountId, limit, cursor } = search;
  const page = await listEntries(books, search);
  if (page === null) return null;
  const before = readEntryCursor(cursor) ?? 0n;
  const from = page.nextCursor === null ? 0n : BigInt(page.nextCursor);
  const past: Entry[] = [];
  for (const month of await pastMonths(books, accountId)) {
    if (month.firstNo >= before || month.lastNo < from || !isWithin(month, search)) continue;
    const rows = await newestRows(await books.pastFile(month.file), ENTRY_COLUMNS, {
      ...rowSearch(search),
      by: "entryNo",
      within: { from, below: before },
      limit: limit + 1,
    });
    past.push(...rows.map(entryOf));
  }
  if (past.length === 0) return page;
  const known = new Set(page.entries.map(({ entryNo }) => entryNo));
  const all = [...page.entries, ...past.filter(({ entryNo }) => !known.has(entryNo))];
  const entries = all.toSorted((a, b) => (a.entryNo < b.entryNo ? 1 : -1)).slice(0, limit);
  const more = all.length > limit || page.nextCursor !== null;
  return { entries, nextCursor: more ? (entries.at(-1)?.entryNo.toString() ?? null) : null };
}

type Wish = Omit<EntrySearch, "cursor" | "limit">;

function isWithin({ firstAt, lastAt }: PastMonth, { from = null, to = null }: Wish): boolean {
  return (from === null || lastAt >= from) && (to === null || firstAt < to);
}

function rowSearch(
  search: Wish,
): Pick<RowSearch<typeof ENTRY_COLUMNS>, "where" | "among" | "besides"> {
  const { accountId, from = null, to = null } = search;
  return {
    where: { accountId },
    among: { kind: kindsOf(search) },
    besides: {
      key: "at",
      from: from === null ? null : microsOf(from),
      below: to === null ? null : microsOf(to),
    },
  };
}

/** The archived entries of a request: that which ended it, and that of its loss. */
export async function pastEntriesOf(
  books: Books,
  accountId: Uuid,
  requestId: Uuid,
): Promise<Entry[]> {
  const ids = [requestId, await lossIdOf(books, requestId)];
  const rows = await Promise.all(ids.map((id) => findPast(books, accountId, id)));
  return rows.filter((row) => row !== null).map(entryOf);
}

type End = Pick<Entry, "entryId" | "at" | "amountNano" | "heldNano" | "releasedNano">;

/** As `findEntry`, of all months. */
export async function findAnyEntry(
  books: Books,
  accountId: Uuid,
  holdId: Uuid,
): Promise<End | null> {
  const entry = await findEntry(books, accountId, holdId);
  if (entry !== null) return entry;
  const row = await findPast(books, accountId, holdId);
  return row === null ? null : entryOf(row);
}

/** As `findLoss`, of all months. */
export async function findAnyLoss(books: Books, accountId: Uuid, requestId: Uuid): Promise<Nano> {
  const lossNano = await findLoss(books, accountId, requestId);
  if (lossNano !== ZERO_NANO || (await pastFileOf(books, requestId)) === null) return lossNano;
  const row = await findPast(books, accountId, await lossIdOf(books, requestId));
  return row === null ? ZERO_NANO : nano(row.amountNano);
}
