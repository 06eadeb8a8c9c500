/** Receipts of all accounts, and what the ledger has of one request. */
import { ENTRY_KINDS, type EntryKind } from "../../contract/enums/entry-kind.ts";
import { uuidArray } from "../../db/array-params.ts";
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { Nano } from "../../kernel/money.ts";
import { DAY_MS, daysWith, keptUntil } from "../../usage/days-with.store.ts";
import { GREATEST_ID, joinSpans, LEAST_ID, nextSpans, type IdSpan } from "../../usage/id-spans.ts";
import type { StoredReceipt } from "../../usage/receipt-row.ts";
import { RECEIPT_COLUMNS, RECEIPT_ROW } from "../../usage/receipts.store.ts";
import type { Books } from "../past/books.ts";
import { listReceipts } from "../past/read-receipts.ts";
import {
  MOST_HOURS,
  requestHours,
  type HourSearch,
  type RequestHour,
} from "./request-hours.store.ts";

/** Null: of all. */
export interface AnyRequestSearch {
  readonly accountId: Uuid | null;
  readonly keyId: Uuid | null;
  readonly model: string | null;
  readonly state: string | null;
  /** One that was tried for it, whether it served it or not. */
  readonly upstream: string | null;
  /**
   * Bounds of the request's id, which begins with its time: from the first on, and before the
   * other.
   */
  readonly start: Uuid | null;
  readonly before: Uuid | null;
  readonly limit: number;
}

const WITHIN_PARAMETERS = [
  sql.nullable(sql.uuid),
  sql.nullable(sql.uuid),
  sql.nullable(sql.text),
  sql.nullable(sql.text),
  sql.nullable(sql.text),
  sql.uuid,
  sql.array(sql.uuid),
  sql.array(sql.uuid),
  sql.whole,
] as const;
// The text is searched before it is taken apart, which takes many times as long.
const SPANS_OF = `
  SELECT r.* FROM unnest($7::uuid[], $8::uuid[]) AS s (first_id, last_id)
  CROSS JOIN LATERAL (
    SELECT ${RECEIPT_COLUMNS} FROM usage.requests
    WHERE`;
const THAT_MATCH = `AND request_id BETWEEN s.first_id AND s.last_id AND request_id < $6
      AND ($2::uuid IS NULL OR key_id = $2) AND ($3::text IS NULL OR model = $3) AND ($4::text IS NULL OR state = $4)
      AND ($5::text IS NULL OR strpos(detail_text, $5) > 0 AND EXISTS (
        SELECT FROM json_array_elements(CASE json_typeof(detail -> 'attempts') WHEN 'array' THEN detail -> 'attempts' ELSE '[]' END) a
        WHERE a ->> 'upstream' = $5))
    ORDER BY request_id DESC LIMIT $9) r
  ORDER BY r."requestId" DESC LIMIT $9`;
const WITHIN_ALL = statement({
  text: `${SPANS_OF} $1::uuid IS NULL ${THAT_MATCH}`,
  parameters: WITHIN_PARAMETERS,
  row: RECEIPT_ROW,
});
const WITHIN_ACCOUNT = statement({
  text: `${SPANS_OF} account_id = $1 ${THAT_MATCH}`,
  parameters: WITHIN_PARAMETERS,
  row: RECEIPT_ROW,
});

export interface FoundRequests {
  /** Newest first. */
  readonly rows: readonly StoredReceipt[];
  /**
   * So far back was looked, and no further for now; null: there is no more, or the page is full.
   */
  readonly lookedBackTo: Uuid | null;
}

export interface LookThrough {
  /** Requests that are looked through at a time, about. */
  readonly stretch: number;
  /** When it is enough for one answer. */
  readonly enoughMs: number;
}

const LOOK_THROUGH: LookThrough = { stretch: 20_000, enoughMs: 500 };

/**
 * An account's are found as its owner finds them. Otherwise what is rare may be far back: the hours
 * that have any are looked through a stretch after the other, so that no search outlasts the
 * operator's wait.
 */
export async function findAnyRequests(
  books: Books,
  search: AnyRequestSearch,
  through: LookThrough = LOOK_THROUGH,
): Promise<FoundRequests> {
  const { accountId, keyId, model, state, upstream, start, before, limit } = search;
  if (accountId === null || upstream !== null) return lookThrough(books, search, through);
  const keyIds = keyId === null ? null : [keyId];
  const found = { accountId, keyIds, model, state, cursor: before, floor: start, limit };
  return { rows: (await listReceipts(books, found)).receipts, lookedBackTo: null };
}

async function lookThrough(
  q: Queryable,
  search: AnyRequestSearch,
  { stretch, enoughMs }: LookThrough,
): Promise<FoundRequests> {
  const { accountId, keyId, model, state, upstream, limit } = search;
  const [cursor, floor] = [search.before ?? GREATEST_ID, search.start ?? LEAST_ID];
  const endsAt = performance.now() + enoughMs;
  const rows: StoredReceipt[] = [];
  let before = cursor;
  let spans: IdSpan[] = [];
  let hour: Date | null = null;
  for (let most = 1; ; most = Math.min(2 * most, MOST_HOURS)) {
    const wish = { accountId, keyId, model, state, cursor, floor };
    const hours: RequestHour[] = await requestHours(q, wish, hour, most);
    spans = joinSpans([...spans, ...hours.flatMap(({ span }) => span ?? [])]);
    const last: RequestHour | undefined = hours.length < most ? undefined : hours.at(-1);
    const downTo = last !== undefined && last.beginId > floor ? last.beginId : floor;
    for (;;) {
      const next = nextSpans(spans, { from: downTo, before }, stretch);
      const lowest = next.at(-1);
      if (lowest === undefined) break;
      rows.push(
        ...(await q.run(accountId === null ? WITHIN_ALL : WITHIN_ACCOUNT, [
          accountId,
          keyId,
          model,
          state,
          upstream,
          before,
          uuidArray(next, ({ firstId }) => firstId),
          uuidArray(next, ({ lastId }) => lastId),
          limit - rows.length,
        ])),
      );
      if (rows.length === limit) return { rows, lookedBackTo: null };
      before = lowest.firstId;
      if (performance.now() >= endsAt) return { rows, lookedBackTo: before };
    }
    if (last === undefined) return { rows, lookedBackTo: null };
    if (downTo < before) before = downTo;
    if (before < cursor && performance.now() >= endsAt) return { rows, lookedBackTo: before };
    hour = hours.some(({ span }) => span !== null) ? last.hour : await nextHour(q, wish, last.hour);
    if (hour === null) return { rows, lookedBackTo: null };
  }
}

/**
 * Where hours have nothing of it, the days before them tell where to go on: below that moment. Null:
 * there is no more.
 */
async function nextHour(
  q: Queryable,
  { keyId, ...wish }: HourSearch,
  hour: Date,
): Promise<Date | null> {
  const { accountId, model, state } = wish;
  // What was tried is in no sum: every day may have it.
  if ((model ?? state) === null && (accountId === null || keyId === null)) return hour;
  const kept = await keptUntil(q);
  if (hour > kept) return hour;
  const keyIds = keyId === null ? null : [keyId];
  const [day] = await daysWith(q, { ...wish, keyIds, kind: null }, hour, 1);
  if (day === undefined) return null;
  const end = new Date(day.getTime() + DAY_MS);
  return end < hour ? end : hour;
}

export interface RequestEntry {
  readonly entryId: Uuid;
  readonly kind: EntryKind;
  readonly at: Date;
  readonly amountNano: Nano;
  readonly heldNano: Nano | null;
  readonly releasedNano: Nano | null;
}

// The entry that ends a hold has the hold's id, which is the request's; that of its loss follows
// from it.
const ENTRIES = statement({
  text: `
  SELECT entry_id AS "entryId", kind, at, amount_nano AS "amountNano", held_nano AS "heldNano", held_nano - amount_nano AS "releasedNano"
  FROM ledger.entries WHERE account_id = $1 AND entry_id IN ($2, ledger.loss_id($2)) ORDER BY entry_no`,
  parameters: [sql.uuid, sql.uuid],
  row: {
    entryId: sql.uuid,
    kind: sql.enumOf("ledger.entry_kind", ENTRY_KINDS),
    at: sql.timestamptz,
    amountNano: sql.nano,
    heldNano: sql.nullable(sql.nano),
    releasedNano: sql.nullable(sql.nano),
  },
});

export async function entriesOfRequest(
  q: Queryable,
  accountId: Uuid,
  requestId: Uuid,
): Promise<RequestEntry[]> {
  return q.run(ENTRIES, [accountId, requestId]);
}
