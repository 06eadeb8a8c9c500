/**
 * An account's receipts by page: all in the order of their ids, or those of a key, a model or a
 * state, which are looked for where the sums of hours say that there are some.
 */
import { uuidArray } from "../db/array-params.ts";
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { RequestKind } from "../contract/enums/request-kind.ts";
import type { Uuid } from "../kernel/ids.ts";
import { stretchesWith } from "./days-with.store.ts";
import {
  cutSpans,
  GREATEST_ID,
  joinSpans,
  LEAST_ID,
  newestSpans,
  type IdSpan,
} from "./id-spans.ts";
import type { StoredReceipt } from "./receipt-row.ts";
import { RECEIPT_COLUMNS, RECEIPT_ROW } from "./receipts.store.ts";

export interface ReceiptSearch {
  readonly accountId: Uuid;
  /** Of these keys only; absent or null: of all. */
  readonly keyIds?: readonly Uuid[] | null;
  readonly model?: string | null;
  readonly state?: string | null;
  /** Null: of every kind that is answered at once. */
  readonly kind?: RequestKind | null;
  /** The last request id of the page before; null for the first page. */
  readonly cursor: Uuid | null;
  /** The smallest id that is wanted: ids begin with the time. */
  readonly floor?: Uuid | null;
  readonly limit: number;
}

export interface ReceiptPage {
  readonly receipts: readonly StoredReceipt[];
  /** Null on the last page. */
  readonly nextCursor: Uuid | null;
}

const LIST = statement({
  text: `
  SELECT ${RECEIPT_COLUMNS} FROM usage.requests WHERE account_id = $1 AND request_id < $2 AND request_id >= $3
  ORDER BY request_id DESC LIMIT $4`,
  parameters: [sql.uuid, sql.uuid, sql.uuid, sql.whole],
  row: RECEIPT_ROW,
});

/** An account's receipts, newest request first. */
export async function listRequests(q: Queryable, search: ReceiptSearch): Promise<ReceiptPage> {
  const { accountId, cursor, floor, limit, keyIds, model, state, kind } = search;
  const rows =
    (keyIds ?? model ?? state ?? kind ?? null) === null
      ? await q.run(LIST, [accountId, cursor ?? GREATEST_ID, floor ?? LEAST_ID, limit + 1])
      : await findReceipts(q, { ...search, limit: limit + 1 });
  const receipts = rows.slice(0, limit);
  return {
    receipts,
    nextCursor: rows.length > limit ? (receipts.at(-1)?.requestId ?? null) : null,
  };
}

/** Sums of hours that count receipts of a search. */
const COUNTED = `account_id = $1 AND kind <> 'task' AND ($7::text IS NULL OR kind = $7) AND model <> '' AND ($2::uuid[] IS NULL OR key_id = ANY ($2)) AND ($3::text IS NULL OR model = $3)
    AND ($4::text IS NULL OR state = $4) AND first_id < $5 AND last_id >= $6`;
const SEARCH_PARAMETERS = [
  sql.uuid,
  sql.nullable(sql.array(sql.uuid)),
  sql.nullable(sql.text),
  sql.nullable(sql.text),
  sql.uuid,
  sql.uuid,
  sql.nullable(sql.text),
] as const;

function searchParams({ accountId, keyIds, model, state, cursor, floor, kind }: ReceiptSearch) {
  return [
    accountId,
    keyIds ?? null,
    model ?? null,
    state ?? null,
    cursor ?? GREATEST_ID,
    floor ?? LEAST_ID,
    kind ?? null,
  ] as const;
}

// What was booked in an earlier hour has an id of before this one's, give or take the clocks of
// processes and database.
const HOURS = statement({
  text: `
  SELECT hour, ledger.first_id(hour + interval '1 minute') AS "beginId", sum(ended)::bigint AS count,
    min(first_id::text COLLATE "C")::uuid AS "firstId", max(last_id::text COLLATE "C")::uuid AS "lastId"
  FROM usage.hourly WHERE ${COUNTED} AND hour >= $8 AND hour < coalesce($9::timestamptz, 'infinity') GROUP BY hour ORDER BY hour DESC LIMIT $10`,
  parameters: [...SEARCH_PARAMETERS, sql.timestamptz, sql.nullable(sql.timestamptz), sql.whole],
  row: {
    hour: sql.timestamptz,
    beginId: sql.present(sql.uuid),
    count: sql.present(sql.int8),
    firstId: sql.present(sql.uuid),
    lastId: sql.present(sql.uuid),
  },
});

const WITHIN = statement({
  text: `
  SELECT r.* FROM unnest($6::uuid[], $7::uuid[]) AS s (first_id, last_id)
  CROSS JOIN LATERAL (
    SELECT ${RECEIPT_COLUMNS} FROM usage.requests
    WHERE account_id = $1 AND request_id BETWEEN s.first_id AND s.last_id AND request_id < $5
      AND ($2::uuid[] IS NULL OR key_id = ANY ($2)) AND ($3::text IS NULL OR model = $3) AND ($4::text IS NULL OR state = $4)
      AND ($9::text IS NULL OR usage.kind_of(endpoint) = $9)
    ORDER BY request_id DESC LIMIT $8) r
  ORDER BY r."requestId" DESC LIMIT $8`,
  parameters: [
    sql.uuid,
    sql.nullable(sql.array(sql.uuid)),
    sql.nullable(sql.text),
    sql.nullable(sql.text),
    sql.uuid,
    sql.array(sql.uuid),
    sql.array(sql.uuid),
    sql.whole,
    sql.nullable(sql.text),
  ],
  row: RECEIPT_ROW,
});

interface Hour extends IdSpan {
  readonly hour: Date;
  /** No earlier hour has any from it on. */
  readonly beginId: Uuid;
}

/** Hours that are asked for at first, and so many times more each time that they were too few. */
const FIRST_HOURS = 8;

/**
 * The newest first, exactly: a page is looked for in the hours that have what it asks for, from the
 * newest on, and of each only as far down as no earlier hour can have any.
 */
async function findReceipts(q: Queryable, search: ReceiptSearch): Promise<StoredReceipt[]> {
  const params = searchParams(search);
  const [accountId, keyIds, model, state, cursor, floor, kind] = params;
  const rows: StoredReceipt[] = [];
  let before = cursor;
  let spans: IdSpan[] = [];

  /** Whether the page is full with what lies from that id on. */
  async function fill(downTo: Uuid): Promise<boolean> {
    for (;;) {
      const wanted = search.limit - rows.length;
      const next = newestSpans(cutSpans(spans, { from: downTo, before }), wanted);
      const lowest = next.at(-1);
      if (lowest === undefined) return false;
      rows.push(
        ...(await q.run(WITHIN, [
          accountId,
          keyIds,
          model,
          state,
          before,
          uuidArray(next, ({ firstId }) => firstId),
          uuidArray(next, ({ lastId }) => lastId),
          wanted,
          kind,
        ])),
      );
      if (rows.length === search.limit) return true;
      before = lowest.firstId;
    }
  }

  const days = { accountId, keyIds, model, state, kind, cursor, floor };
  for await (const stretch of stretchesWith(q, days)) {
    let hour = stretch.before;
    for (let most = FIRST_HOURS; ; most *= FIRST_HOURS) {
      const hours: Hour[] = await q.run(HOURS, [...params, stretch.from, hour, most]);
      const last = hours.at(-1);
      if (last === undefined) break;
      spans = joinSpans([...spans, ...hours]);
      if (await fill(last.beginId > floor ? last.beginId : floor)) return rows;
      if (hours.length < most) break;
      ({ hour } = last);
    }
  }
  await fill(floor);
  return rows;
}
