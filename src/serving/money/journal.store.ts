/**
 * Writes pages of a journal, with the ends of idempotency records in the same statement: the rooms
 * meet here, and none knows another.
 */
import {
  bigintArray,
  booleanArray,
  integerArray,
  textArray,
  uuidArray,
} from "../../db/array-params.ts";
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { bound, statement, type BoundStatement, type Given } from "../../db/statement.ts";
import { END_PARAMETERS, endParams } from "../../idempotency/records.store.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { encodeReceipt, RECEIPT_PARAMETERS, receiptParams } from "../../usage/receipts.store.ts";
import type { EndedRequest, GivenLease, NotedRequest, PageElement } from "./page-elements.ts";

const UUIDS = sql.nullable(sql.array(sql.uuid));
const AMOUNTS = sql.nullable(sql.array(sql.int8));

const ENDED_PARAMETERS = [
  sql.array(sql.uuid),
  sql.array(sql.uuid),
  sql.array(sql.uuid),
  sql.array(sql.int8),
  sql.array(sql.int8),
  AMOUNTS,
  sql.array(sql.int4),
  sql.nullable(sql.array(sql.bool)),
] as const;

const NOTED_PARAMETERS = [
  UUIDS,
  UUIDS,
  UUIDS,
  AMOUNTS,
  AMOUNTS,
  sql.nullable(sql.array(sql.int4)),
  sql.nullable(sql.array(sql.text)),
] as const;

const GIVEN_PARAMETERS = [UUIDS, UUIDS, AMOUNTS] as const;

const PAGE_PARAMETERS = [
  sql.uuid,
  sql.int8,
  ...ENDED_PARAMETERS,
  ...RECEIPT_PARAMETERS,
  ...NOTED_PARAMETERS,
  ...GIVEN_PARAMETERS,
] as const;

const COLUMNS = `journal_id, page_no, request_ids, account_ids, hold_ids, held, charges, losses, price_versions, noted,
  endpoints, models_requested, models, states, started_at, details, faults, input_tokens, cached_tokens, output_tokens, upstreams, costs,
  durations, firsts, note_ids, note_accounts, note_holds, note_held, note_recorded, note_versions, note_details, given_accounts, given_holds, given`;

const INSERT = `ledger.pages (${COLUMNS})
  SELECT $1::uuid, $2::bigint, $3::uuid[], $4::uuid[], $5::uuid[], $6::bigint[], $7::bigint[], $8::bigint[], $9::int[], $10::boolean[],
    $11::text[], $12::text[], $13::text[], $14::text[], $15::timestamptz[], $16::text[], $17::text[],
    $18::bigint[], $19::bigint[], $20::bigint[], $21::text[], $22::bigint[], $23::int[], $24::int[],
    $25::uuid[], $26::uuid[], $27::uuid[], $28::bigint[], $29::bigint[], $30::int[], $31::text[],
    $32::uuid[], $33::uuid[], $34::bigint[]`;

// No page comes after the journal was fenced, and none twice: both are decided at its row.
const NEXT_PAGE = `UPDATE ledger.journals SET page_no = $2::bigint WHERE journal_id = $1 AND NOT fenced AND page_no = $2::bigint - 1 RETURNING true AS kept`;

const APPEND = statement({
  text: `WITH me AS (${NEXT_PAGE}), page AS (INSERT INTO ${INSERT} FROM me RETURNING true AS kept) SELECT kept FROM page`,
  parameters: PAGE_PARAMETERS,
  row: { kept: sql.bool },
});

/** The answers of charged requests count from here on. */
const APPEND_WITH_RECORDS = statement({
  text: `WITH me AS (${NEXT_PAGE}), page AS (INSERT INTO ${INSERT} FROM me RETURNING true AS kept)
  SELECT kept, idempotency.end_many($35::uuid[], $36::text[], $37::uuid[], $38::boolean[], $7::bigint[], NULL) FROM page`,
  parameters: [...PAGE_PARAMETERS, ...END_PARAMETERS],
  row: { kept: sql.bool, end_many: sql.void },
});

export interface Page {
  readonly journalId: Uuid;
  readonly pageNo: bigint;
  readonly elements: readonly PageElement[];
}

/**
 * Gives a row; none: nothing was written. The journal is fenced, or this page was written before.
 */
export function appendPage(page: Page): BoundStatement {
  const params = pageParams(page);
  const records = page.elements.flatMap((element) =>
    element.kind === "ended" ? [element.record ?? null] : [],
  );
  return records.some((record) => record !== null)
    ? bound(APPEND_WITH_RECORDS, [...params, ...endParams(records)])
    : bound(APPEND, params);
}

function pageParams(page: Page): Given<typeof PAGE_PARAMETERS> {
  const ended: EndedRequest[] = [];
  const noted: NotedRequest[] = [];
  const given: GivenLease[] = [];
  for (const element of page.elements) {
    if (element.kind === "ended") ended.push(element);
    else if (element.kind === "noted") noted.push(element);
    else given.push(element);
  }
  return [
    page.journalId,
    page.pageNo,
    ...endedParams(ended),
    ...receiptParams(
      ended.map(({ requestId, receipt }) =>
        receipt === null ? null : encodeReceipt(requestId, receipt),
      ),
    ),
    ...notedParams(noted),
    ...givenParams(given),
  ];
}

const LAST_PAGE = statement({
  text: `SELECT coalesce(max(page_no), 0) AS "pageNo" FROM ledger.pages WHERE journal_id = $1`,
  parameters: [sql.uuid],
  row: { pageNo: sql.int8 },
});

const INSERT_PAGE = statement({
  text: `INSERT INTO ${INSERT}`,
  parameters: PAGE_PARAMETERS,
});

const POST_PAGES = statement({
  text: "SELECT ledger.post_pages($1, $2) AS parked",
  parameters: [sql.uuid, sql.int8],
  row: { parked: sql.array(sql.uuid) },
});

/**
 * Ends requests of a fenced journal, whose pages are posted: by a page of its own in the same
 * transaction. A request that another process has ended meanwhile makes it fail. Returns the
 * requests whose receipts were parked.
 */
export async function postEnds(
  tx: Queryable,
  journalId: Uuid,
  ended: readonly EndedRequest[],
): Promise<readonly Uuid[]> {
  const [last] = await tx.run(LAST_PAGE, [journalId]);
  const pageNo = (last?.pageNo ?? 0n) + 1n;
  await tx.run(INSERT_PAGE, pageParams({ journalId, pageNo, elements: ended }));
  const [posted] = await tx.run(POST_PAGES, [journalId, pageNo]);
  return posted?.parked ?? [];
}

function endedParams(ended: readonly EndedRequest[]): Given<typeof ENDED_PARAMETERS> {
  return [
    uuidArray(ended, ({ requestId }) => requestId),
    uuidArray(ended, ({ accountId }) => accountId),
    uuidArray(ended, ({ holdId }) => holdId),
    bigintArray(ended, ({ heldNano }) => heldNano),
    bigintArray(ended, ({ chargeNano }) => chargeNano),
    ended.some(({ lossNano }) => lossNano > 0n)
      ? bigintArray(ended, ({ lossNano }) => lossNano)
      : null,
    integerArray(ended, ({ priceVersion }) => priceVersion),
    ended.some(({ noted }) => noted) ? booleanArray(ended, ({ noted }) => noted) : null,
  ];
}

function notedParams(noted: readonly NotedRequest[]): Given<typeof NOTED_PARAMETERS> {
  if (noted.length === 0) return [null, null, null, null, null, null, null];
  return [
    uuidArray(noted, ({ requestId }) => requestId),
    uuidArray(noted, ({ accountId }) => accountId),
    uuidArray(noted, ({ holdId }) => holdId),
    bigintArray(noted, ({ heldNano }) => heldNano),
    bigintArray(noted, ({ recordedNano }) => recordedNano),
    integerArray(noted, ({ priceVersion }) => priceVersion),
    textArray(noted, ({ detail }) => detail),
  ];
}

function givenParams(given: readonly GivenLease[]): Given<typeof GIVEN_PARAMETERS> {
  if (given.length === 0) return [null, null, null];
  return [
    uuidArray(given, ({ accountId }) => accountId),
    uuidArray(given, ({ holdId }) => holdId),
    bigintArray(given, ({ amountNano }) => amountNano),
  ];
}
