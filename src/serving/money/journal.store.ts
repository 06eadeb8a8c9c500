/**
 * Writes pages of a journal, with the ends of idempotency records in the same statement: the rooms
 * meet here, and none knows another.
 */
import {
  asInteger,
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
import {
  encodeReceipt,
  RECEIPT_NUMBERS,
  RECEIPT_WORDS,
  type EncodedReceipt,
} from "../../usage/receipts.store.ts";
import type { EndedRequest, GivenLease, NotedRequest, PageElement } from "./page-elements.ts";

const UUIDS = sql.nullable(sql.array(sql.uuid));
const AMOUNTS = sql.nullable(sql.array(sql.int8));
const TEXTS = sql.nullable(sql.array(sql.text));

/** What most pages are made of. Parameters are what a page costs when it is written. */
const USUAL_PARAMETERS = [
  sql.uuid,
  sql.int8,
  sql.int4,
  sql.array(sql.uuid),
  sql.array(sql.text),
  sql.array(sql.int8),
  sql.array(sql.text),
] as const;

const USUAL_COLUMNS = "journal_id, page_no, ended, ids, words, numbers, details";
const USUAL_VALUES =
  "$1::uuid, $2::bigint, $3::int, $4::uuid[], $5::text[], $6::bigint[], $7::text[]";

/** What few ended requests have, what goes on, and what is given back. */
const EXCEPTION_PARAMETERS = [AMOUNTS, sql.nullable(sql.array(sql.bool)), TEXTS] as const;

const NOTED_PARAMETERS = [
  UUIDS,
  UUIDS,
  UUIDS,
  AMOUNTS,
  AMOUNTS,
  sql.nullable(sql.array(sql.int4)),
  TEXTS,
] as const;

const GIVEN_PARAMETERS = [UUIDS, UUIDS, AMOUNTS] as const;

const ANY_PARAMETERS = [
  ...USUAL_PARAMETERS,
  ...EXCEPTION_PARAMETERS,
  ...NOTED_PARAMETERS,
  ...GIVEN_PARAMETERS,
] as const;

const RARE_COLUMNS =
  "losses, noted, faults, note_ids, note_accounts, note_holds, note_held, note_recorded, note_versions, note_details, given_accounts, given_holds, given";
const RARE_VALUES =
  "$8::bigint[], $9::boolean[], $10::text[], $11::uuid[], $12::uuid[], $13::uuid[], $14::bigint[], $15::bigint[], $16::int[], $17::text[], $18::uuid[], $19::uuid[], $20::bigint[]";

const INSERT_USUAL = `INSERT INTO ledger.pages (${USUAL_COLUMNS}) SELECT ${USUAL_VALUES}`;
const INSERT_ANY = `INSERT INTO ledger.pages (${USUAL_COLUMNS}, ${RARE_COLUMNS}) SELECT ${USUAL_VALUES}, ${RARE_VALUES}`;

/** No page comes after the journal was fenced, and none twice: both are decided at its row. */
const NEXT_PAGE =
  "WITH me AS (UPDATE ledger.journals SET page_no = $2::bigint WHERE journal_id = $1 AND NOT fenced AND page_no = $2::bigint - 1 RETURNING true)";

const APPEND_USUAL = statement({
  text: `${NEXT_PAGE} ${INSERT_USUAL} FROM me`,
  parameters: USUAL_PARAMETERS,
});

const APPEND_ANY = statement({
  text: `${NEXT_PAGE} ${INSERT_ANY} FROM me`,
  parameters: ANY_PARAMETERS,
});

const CHARGES = "RETURNING numbers[ended + 1 : 2 * ended] AS charges";

/** The answers of charged requests count from here on. */
const APPEND_USUAL_WITH_RECORDS = statement({
  text: `${NEXT_PAGE}, page AS (${INSERT_USUAL} FROM me ${CHARGES})
  SELECT idempotency.end_many($8::uuid[], $9::text[], $10::uuid[], $11::boolean[], charges, NULL) FROM page`,
  parameters: [...USUAL_PARAMETERS, ...END_PARAMETERS],
  row: { end_many: sql.void },
});

const APPEND_ANY_WITH_RECORDS = statement({
  text: `${NEXT_PAGE}, page AS (${INSERT_ANY} FROM me ${CHARGES})
  SELECT idempotency.end_many($21::uuid[], $22::text[], $23::uuid[], $24::boolean[], charges, NULL) FROM page`,
  parameters: [...ANY_PARAMETERS, ...END_PARAMETERS],
  row: { end_many: sql.void },
});

export interface Page {
  readonly journalId: Uuid;
  readonly pageNo: bigint;
  readonly elements: readonly PageElement[];
}

/**
 * Changes one row, or gives one; none: nothing was written. The journal is fenced, or this page was
 * written before. Throws on a value that no page can hold.
 */
export function appendPage(page: Page): BoundStatement {
  const parts = partsOf(page.elements);
  const ends = parts.ended.map(({ element }) => element.record ?? null);
  const records = ends.some((end) => end !== null) ? endParams(ends) : null;
  if (isUsual(parts)) {
    const params = usualParams(page, parts.ended);
    return records === null
      ? bound(APPEND_USUAL, params)
      : bound(APPEND_USUAL_WITH_RECORDS, [...params, ...records]);
  }
  const params = anyParams(page, parts);
  return records === null
    ? bound(APPEND_ANY, params)
    : bound(APPEND_ANY_WITH_RECORDS, [...params, ...records]);
}

interface Ended {
  readonly element: EndedRequest;
  readonly receipt: EncodedReceipt | null;
}

interface Parts {
  readonly ended: readonly Ended[];
  readonly noted: readonly NotedRequest[];
  readonly given: readonly GivenLease[];
}

function partsOf(elements: readonly PageElement[]): Parts {
  const ended: Ended[] = [];
  const noted: NotedRequest[] = [];
  const given: GivenLease[] = [];
  for (const element of elements) {
    if (element.kind === "noted") noted.push(element);
    else if (element.kind === "given") given.push(element);
    else {
      const { requestId, receipt } = element;
      ended.push({ element, receipt: receipt === null ? null : encodeReceipt(requestId, receipt) });
    }
  }
  return { ended, noted, given };
}

const hasLoss = ({ element }: Ended): boolean => element.lossNano > 0n;
const wasNoted = ({ element }: Ended): boolean => element.noted;
const faultOf = ({ receipt }: Ended): string | null => receipt?.fault ?? null;
const hasFault = (ended: Ended): boolean => faultOf(ended) !== null;

function isUsual({ ended, noted, given }: Parts): boolean {
  return (
    noted.length === 0 &&
    given.length === 0 &&
    !ended.some((one) => hasLoss(one) || wasNoted(one) || hasFault(one))
  );
}

const WORDS = RECEIPT_WORDS.map(
  (word) =>
    ({ receipt }: Ended): string | null =>
      word(receipt),
);

const NUMBERS: readonly ((ended: Ended) => bigint | number | null)[] = [
  ({ element }) => element.heldNano,
  ({ element }) => element.chargeNano,
  ({ element }) => asInteger(element.priceVersion),
  ...RECEIPT_NUMBERS.map(
    (number) =>
      ({ receipt }: Ended): bigint | number | null =>
        number(receipt),
  ),
];

function usualParams(page: Page, ended: readonly Ended[]): Given<typeof USUAL_PARAMETERS> {
  return [
    page.journalId,
    page.pageNo,
    ended.length,
    uuidArray(
      ended,
      ({ element }) => element.requestId,
      ({ element }) => element.accountId,
      ({ element }) => element.holdId,
    ),
    textArray(ended, ...WORDS),
    bigintArray(ended, ...NUMBERS),
    textArray(ended, ({ receipt }) => receipt?.detail ?? null),
  ];
}

function anyParams(page: Page, { ended, noted, given }: Parts): Given<typeof ANY_PARAMETERS> {
  return [
    ...usualParams(page, ended),
    ended.some(hasLoss) ? bigintArray(ended, ({ element }) => element.lossNano) : null,
    ended.some(wasNoted) ? booleanArray(ended, wasNoted) : null,
    ended.some(hasFault) ? textArray(ended, faultOf) : null,
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
  text: INSERT_ANY,
  parameters: ANY_PARAMETERS,
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
  await tx.run(INSERT_PAGE, anyParams({ journalId, pageNo, elements: ended }, partsOf(ended)));
  const [posted] = await tx.run(POST_PAGES, [journalId, pageNo]);
  return posted?.parked ?? [];
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
