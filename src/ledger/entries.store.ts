/** An account's entries, newest first, with the balance after each. */
import { CREDIT_CLASSES, type CreditClass } from "../contract/enums/credit-class.ts";
import { ENTRY_KINDS, type EntryKind, MONEY_ENTRY_KINDS } from "../contract/enums/entry-kind.ts";
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";
import { ZERO_NANO, type Nano } from "../kernel/money.ts";

export interface Entry {
  /** Its place among the account's entries, from 1. */
  readonly entryNo: bigint;
  readonly entryId: Uuid;
  readonly kind: EntryKind;
  /**
   * What it did to the balance: positive for money in, negative for a charge, 0 for releases and
   * losses.
   */
  readonly changeNano: Nano;
  /** The account's balance (held money included) right after it. */
  readonly balanceAfterNano: Nano;
  /** What moved between the books; of a loss, what the operator bore. */
  readonly amountNano: Nano;
  /** Charges and releases: what had been held, and what of it went back. */
  readonly heldNano: Nano | null;
  readonly releasedNano: Nano | null;
  readonly budgetId: Uuid | null;
  readonly priceVersion: number | null;
  readonly at: Date;
  readonly reference: string;
  readonly note: string | null;
  /** Of a top-up or adjustment; null: of no other kind. */
  readonly creditClass: CreditClass | null;
}

export interface EntryPage {
  readonly entries: readonly Entry[];
  /** Pass it for the next page; null on the last one. */
  readonly nextCursor: string | null;
}

/**
 * Numbers of the first entry of $1 from the moment $2 on, and of the first one from $3 on; null: no
 * such bound. Times follow numbers.
 */
export const ENTRIES_FROM = `(SELECT ledger.first_entry_from($1, coalesce($2::timestamptz, '-infinity')))`;
export const ENTRIES_BEFORE = `(SELECT ledger.first_entry_from($1, coalesce($3::timestamptz, 'infinity')))`;

/** What an entry did to the balance. */
export const CHANGE = `CASE WHEN kind IN ('topup', 'adjust') THEN amount_nano WHEN kind = 'charge' THEN -amount_nano ELSE 0 END`;

const BOUNDS = statement({
  text: `SELECT ${ENTRIES_FROM} AS first, ${ENTRIES_BEFORE} AS behind`,
  parameters: [sql.uuid, sql.nullable(sql.timestamptz), sql.nullable(sql.timestamptz)],
  row: { first: sql.present(sql.int8), behind: sql.present(sql.int8) },
});

const PAGE = `
  SELECT entry_no AS "entryNo", entry_id AS "entryId", kind::text AS kind, abs(amount_nano) AS "amountNano", held_nano AS "heldNano",
    held_nano - amount_nano AS "releasedNano", budget_id AS "budgetId", price_version AS "priceVersion", at,
    coalesce(reference, 'request:req_' || replace(entry_id::text, '-', '')) AS reference, note, ${CHANGE} AS "changeNano",
    balance_nano AS "balanceAfterNano", CASE WHEN kind IN ('topup', 'adjust') THEN coalesce(class, 'paid')::text END AS "creditClass"
  FROM ledger.entries
  WHERE account_id = $1 AND entry_no >= $2 AND entry_no < $3 AND kind = ANY ($4::text[]::ledger.entry_kind[])`;
const PAGE_PARAMETERS = [sql.uuid, sql.int8, sql.int8, sql.array(sql.text), sql.whole] as const;
const PAGE_ROW = {
  entryNo: sql.int8,
  entryId: sql.uuid,
  kind: sql.oneOf(ENTRY_KINDS),
  amountNano: sql.nano,
  heldNano: sql.nullable(sql.nano),
  releasedNano: sql.nullable(sql.nano),
  budgetId: sql.nullable(sql.uuid),
  priceVersion: sql.nullable(sql.int4),
  at: sql.timestamptz,
  reference: sql.text,
  note: sql.nullable(sql.text),
  changeNano: sql.nano,
  balanceAfterNano: sql.nano,
  creditClass: sql.nullable(sql.oneOf(CREDIT_CLASSES)),
};

// The bounds are numbers that the planner sees: with them it reads months from the newest on, and
// stops where the page is full.
const LIST = statement({
  text: `${PAGE} ORDER BY entry_no DESC LIMIT $5`,
  parameters: PAGE_PARAMETERS,
  row: PAGE_ROW,
});

// Rare among the entries of requests, and indexed by themselves (`entries_of_no_request`), whose
// condition has to stand here as it stands there.
const LIST_OF_NO_REQUEST = statement({
  text: `${PAGE} AND kind NOT IN ('charge', 'release') ORDER BY entry_no DESC LIMIT $5`,
  parameters: PAGE_PARAMETERS,
  row: PAGE_ROW,
});

/** The number of the last entry of the page before. */
const CURSOR = /^\d{1,19}$/;
const END_OF_TIME = 9_223_372_036_854_775_807n;

export interface EntrySearch {
  readonly accountId: Uuid;
  readonly limit: number;
  readonly cursor: string | null;
  /** Leaves out releases and losses. */
  readonly moneyOnly: boolean;
  /** Only these, whatever `moneyOnly` says. */
  readonly kind?: EntryKind | null;
  /** Booked from this moment on, and before that one. */
  readonly from?: Date | null;
  readonly to?: Date | null;
}

/** All entries of the page that begins with it are numbered below; null: it is not one of ours. */
export function readEntryCursor(cursor: string | null): bigint | null {
  if (cursor === null) return END_OF_TIME;
  const before = CURSOR.test(cursor) ? BigInt(cursor) : null;
  return before !== null && before <= END_OF_TIME ? before : null;
}

/** One page, however old. Returns null for a cursor that is not one of ours. */
export async function listEntries(q: Queryable, search: EntrySearch): Promise<EntryPage | null> {
  const { accountId, limit, cursor, from = null, to = null } = search;
  const before = readEntryCursor(cursor);
  if (before === null) return null;
  const [bounds] = from === null && to === null ? [] : await q.run(BOUNDS, [accountId, from, to]);
  const { first = 0n, behind = END_OF_TIME } = bounds ?? {};
  const below = before < behind ? before : behind;
  const kinds = kindsOf(search);
  const ofRequests = kinds.includes("charge") || kinds.includes("release");
  const list = ofRequests ? LIST : LIST_OF_NO_REQUEST;
  const rows = await q.run(list, [accountId, first, below, kinds, limit + 1]);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    entries: shown,
    nextCursor: rows.length > limit && last !== undefined ? last.entryNo.toString() : null,
  };
}

/** Which kinds a search finds. */
export function kindsOf({
  moneyOnly,
  kind = null,
}: Pick<EntrySearch, "moneyOnly" | "kind">): readonly EntryKind[] {
  if (kind !== null) return [kind];
  return moneyOnly ? MONEY_ENTRY_KINDS : ENTRY_KINDS;
}

const END = statement({
  text: `
  SELECT entry_id AS "entryId", at, amount_nano AS "amountNano", held_nano AS "heldNano", held_nano - amount_nano AS "releasedNano"
  FROM ledger.entries WHERE account_id = $1 AND entry_id = $2`,
  parameters: [sql.uuid, sql.uuid],
  row: {
    entryId: sql.uuid,
    at: sql.timestamptz,
    amountNano: sql.nano,
    heldNano: sql.nullable(sql.nano),
    releasedNano: sql.nullable(sql.nano),
  },
});

/**
 * The entry that ended a hold, which has its id; null while it is held, and where there is none.
 */
export async function findEntry(
  q: Queryable,
  accountId: Uuid,
  holdId: Uuid,
): Promise<Pick<Entry, "entryId" | "at" | "amountNano" | "heldNano" | "releasedNano"> | null> {
  const [row] = await q.run(END, [accountId, holdId]);
  return row ?? null;
}

const LOSS = statement({
  text: `SELECT amount_nano AS "lossNano" FROM ledger.entries WHERE account_id = $1 AND entry_id = ledger.loss_id($2)`,
  parameters: [sql.uuid, sql.uuid],
  row: { lossNano: sql.nano },
});

/** What a request that has ended took beyond what could be charged. */
export async function findLoss(q: Queryable, accountId: Uuid, requestId: Uuid): Promise<Nano> {
  const [row] = await q.run(LOSS, [accountId, requestId]);
  return row?.lossNano ?? ZERO_NANO;
}

const LOSS_ID = statement({
  text: `SELECT ledger.loss_id($1) AS "lossId"`,
  parameters: [sql.uuid],
  row: { lossId: sql.uuid },
});

/** The id of the entry of a request's loss, if it has one. */
export async function lossIdOf(q: Queryable, requestId: Uuid): Promise<Uuid> {
  const [row] = await q.run(LOSS_ID, [requestId]);
  if (row === undefined) throw new Error("a function has one row");
  return row.lossId;
}
