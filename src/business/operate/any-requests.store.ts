/** Receipts of all accounts, and what the ledger has of one request. */
import { ENTRY_KINDS, type EntryKind } from "../../contract/enums/entry-kind.ts";
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { Nano } from "../../kernel/money.ts";
import type { StoredReceipt } from "../../usage/receipt-row.ts";
import { RECEIPT_COLUMNS, RECEIPT_ROW } from "../../usage/receipts.store.ts";

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

// The text is searched before it is taken apart, which takes many times as long.
const LIST = statement({
  text: `
  SELECT ${RECEIPT_COLUMNS}
  FROM usage.requests
  WHERE ($1::uuid IS NULL OR account_id = $1) AND ($2::uuid IS NULL OR key_id = $2) AND ($3::text IS NULL OR model = $3)
    AND ($4::text IS NULL OR state = $4) AND ($5::uuid IS NULL OR request_id >= $5) AND ($6::uuid IS NULL OR request_id < $6)
    AND ($7::text IS NULL OR strpos(detail::text, $7) > 0 AND EXISTS (
      SELECT FROM json_array_elements(CASE json_typeof(detail -> 'attempts') WHEN 'array' THEN detail -> 'attempts' ELSE '[]' END) a
      WHERE a ->> 'upstream' = $7))
  ORDER BY request_id DESC LIMIT $8`,
  parameters: [
    sql.nullable(sql.uuid),
    sql.nullable(sql.uuid),
    sql.nullable(sql.text),
    sql.nullable(sql.text),
    sql.nullable(sql.uuid),
    sql.nullable(sql.uuid),
    sql.nullable(sql.text),
    sql.whole,
  ],
  row: RECEIPT_ROW,
});

// Where so many requests end, counted back from the newest.
const STRETCH_BEGIN = statement({
  text: `
  SELECT request_id AS "requestId" FROM usage.requests
  WHERE ($1::uuid IS NULL OR account_id = $1) AND ($2::uuid IS NULL OR request_id >= $2) AND ($3::uuid IS NULL OR request_id < $3)
  ORDER BY request_id DESC OFFSET $4::integer - 1 LIMIT 1`,
  parameters: [sql.nullable(sql.uuid), sql.nullable(sql.uuid), sql.nullable(sql.uuid), sql.int4],
  row: { requestId: sql.uuid },
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
  /** Requests that are looked through at a time. */
  readonly stretch: number;
  /** When it is enough for one answer. */
  readonly enoughMs: number;
}

const LOOK_THROUGH: LookThrough = { stretch: 20_000, enoughMs: 2_000 };

/**
 * What is rare may be far back: a stretch after the other is looked through, so that no search
 * outlasts the operator's wait.
 */
export async function findAnyRequests(
  q: Queryable,
  search: AnyRequestSearch,
  { stretch, enoughMs }: LookThrough = LOOK_THROUGH,
): Promise<FoundRequests> {
  const { accountId, start, limit } = search;
  const endsAt = performance.now() + enoughMs;
  const rows: StoredReceipt[] = [];
  for (let { before } = search; ;) {
    const [begin] = isFoundByIndex(search)
      ? []
      : await q.run(STRETCH_BEGIN, [accountId, start, before, stretch]);
    rows.push(
      ...(await list(q, {
        ...search,
        start: begin?.requestId ?? start,
        before,
        limit: limit - rows.length,
      })),
    );
    if (begin === undefined || rows.length === limit) return { rows, lookedBackTo: null };
    if (performance.now() >= endsAt) return { rows, lookedBackTo: begin.requestId };
    before = begin.requestId;
  }
}

/** All are in order of their ids; those that did not complete have an index of their own. */
function isFoundByIndex({ keyId, model, state, upstream }: AnyRequestSearch): boolean {
  return state === null
    ? keyId === null && model === null && upstream === null
    : state !== "completed";
}

async function list(q: Queryable, search: AnyRequestSearch): Promise<StoredReceipt[]> {
  const { accountId, keyId, model, state, start, before, upstream, limit } = search;
  return q.run(LIST, [accountId, keyId, model, state, start, before, upstream, limit]);
}

export interface RequestEntry {
  readonly entryId: Uuid;
  readonly kind: EntryKind;
  readonly at: Date;
  readonly amountNano: Nano;
  readonly heldNano: Nano | null;
  readonly releasedNano: Nano | null;
}

// The entry that ends a hold has the hold's id, which is the request's; that of its loss is derived
// from it (ledger.settle_many).
const ENTRIES = statement({
  text: `
  SELECT entry_id AS "entryId", kind, at, amount_nano AS "amountNano", held_nano AS "heldNano", released_nano AS "releasedNano"
  FROM ledger.entries WHERE entry_id IN ($1::uuid, md5($1::uuid::text || ' loss')::uuid) ORDER BY seq`,
  parameters: [sql.uuid],
  row: {
    entryId: sql.uuid,
    kind: sql.enumOf("ledger.entry_kind", ENTRY_KINDS),
    at: sql.timestamptz,
    amountNano: sql.nano,
    heldNano: sql.nullable(sql.nano),
    releasedNano: sql.nullable(sql.nano),
  },
});

export async function entriesOfRequest(q: Queryable, requestId: Uuid): Promise<RequestEntry[]> {
  return q.run(ENTRIES, [requestId]);
}
