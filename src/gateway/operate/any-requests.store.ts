/** Receipts of all accounts, and what the ledger has of one request. */
import type { Queryable } from "../../db/database.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { Nano } from "../../kernel/money.ts";
import type { StoredReceipt } from "../../usage/receipt-row.ts";

/** Null: of all. */
export interface AnyRequestSearch {
  readonly accountId: Uuid | null;
  readonly keyId: Uuid | null;
  readonly model: string | null;
  readonly state: string | null;
  /** One that was tried for it, whether it served it or not. */
  readonly upstream: string | null;
  /** Bounds of the request's id, which begins with its time: from the first on, and before the other. */
  readonly start: Uuid | null;
  readonly before: Uuid | null;
  readonly limit: number;
}

// The text is searched before it is taken apart, which takes many times as long.
const LIST = `
  SELECT request_id AS "requestId", account_id AS "accountId", key_id AS "keyId", endpoint, model_requested AS "modelRequested", model, state,
    started_at AS "startedAt", recorded_at AS "recordedAt", charged_nano AS "chargedNano", detail
  FROM usage.requests
  WHERE ($1::uuid IS NULL OR account_id = $1) AND ($2::uuid IS NULL OR key_id = $2) AND ($3::text IS NULL OR model = $3)
    AND ($4::text IS NULL OR state = $4) AND ($5::uuid IS NULL OR request_id >= $5) AND ($6::uuid IS NULL OR request_id < $6)
    AND ($7::text IS NULL OR strpos(detail::text, $7) > 0 AND EXISTS (
      SELECT FROM json_array_elements(CASE json_typeof(detail -> 'attempts') WHEN 'array' THEN detail -> 'attempts' ELSE '[]' END) a
      WHERE a ->> 'upstream' = $7))
  ORDER BY request_id DESC LIMIT $8`;

/** Newest first. */
export async function findAnyRequests(q: Pick<Queryable, "query">, search: AnyRequestSearch): Promise<StoredReceipt[]> {
  const { accountId, keyId, model, state, start, before, upstream, limit } = search;
  return q.query<StoredReceipt>(LIST, [accountId, keyId, model, state, start, before, upstream, limit]);
}

export interface RequestEntry {
  readonly entryId: Uuid;
  readonly kind: "topup" | "adjust" | "charge" | "release" | "loss";
  readonly at: Date;
  readonly amountNano: Nano;
  readonly heldNano: Nano | null;
  readonly releasedNano: Nano | null;
}

// The entry that ends a hold has the hold's id, which is the request's; that of its loss is derived from it (ledger.settle_many).
const ENTRIES = `
  SELECT entry_id AS "entryId", kind::text AS kind, at, amount_nano AS "amountNano", held_nano AS "heldNano", released_nano AS "releasedNano"
  FROM ledger.entries WHERE entry_id IN ($1::uuid, md5($1::uuid::text || ' loss')::uuid) ORDER BY seq`;

export async function entriesOfRequest(q: Pick<Queryable, "query">, requestId: Uuid): Promise<RequestEntry[]> {
  return q.query<RequestEntry>(ENTRIES, [requestId]);
}
