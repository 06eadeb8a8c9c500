/** An account's entries, newest first, with the balance after each. */
import { ENTRY_KINDS, type EntryKind, MONEY_ENTRY_KINDS } from "../contract/enums/entry-kind.ts";
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";

export interface Entry {
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
}

export interface EntryPage {
  readonly entries: readonly Entry[];
  /** Pass it for the next page; null on the last one. */
  readonly nextCursor: string | null;
}

/**
 * The balance after an entry follows from a later one by undoing those between. Read backwards, so
 * it ends with the page.
 */
const LIST = statement({
  text: `
  SELECT * FROM (
    SELECT seq, entry_id AS "entryId", kind::text AS kind, amount_nano AS "amountNano", held_nano AS "heldNano", released_nano AS "releasedNano",
      budget_id AS "budgetId", price_version AS "priceVersion", at, reference, note, change AS "changeNano",
      (coalesce($3::bigint, (SELECT credited_nano - charged_nano FROM ledger.accounts WHERE account_id = $1))
        - coalesce(sum(change) OVER (ORDER BY seq DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0))::bigint AS "balanceAfterNano"
    FROM (SELECT *, CASE account_id WHEN credit_id THEN amount_nano WHEN debit_id THEN -amount_nano ELSE 0 END AS change
          FROM ledger.entries WHERE account_id = $1 AND seq < $2 AND seq > $4) moved) booked
  WHERE kind = ANY ($5::text[]) AND ($6::timestamptz IS NULL OR at >= $6) AND ($7::timestamptz IS NULL OR at < $7)
  ORDER BY seq DESC LIMIT $8`,
  parameters: [
    sql.uuid,
    sql.int8,
    sql.nullable(sql.int8),
    sql.int8,
    sql.array(sql.text),
    sql.nullable(sql.timestamptz),
    sql.nullable(sql.timestamptz),
    sql.whole,
  ],
  row: {
    seq: sql.int8,
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
  },
});

const CURSOR = /^(\d{1,19})\.(-?\d{1,19})$/;
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
  /** Only entries numbered above it: where those of `from` are known to be. */
  readonly above?: bigint;
}

/**
 * One page. The balance after the newest entry is the account's balance; every older one follows by
 * undoing the entries above it, and the cursor carries it from page to page, so a page costs what
 * it shows, however old. What `to` leaves out is read to be undone: begin at a cursor near it.
 * Returns null for a cursor that is not one of ours.
 */
export async function listEntries(q: Queryable, search: EntrySearch): Promise<EntryPage | null> {
  const { accountId, limit, cursor, from = null, to = null, above = 0n } = search;
  const start = cursor === null ? null : CURSOR.exec(cursor);
  if (cursor !== null && start === null) return null;
  const [before, balanceNano] =
    start === null ? [END_OF_TIME, null] : [BigInt(start[1] ?? "0"), BigInt(start[2] ?? "0")];
  if (
    before > END_OF_TIME ||
    (balanceNano !== null && (balanceNano > END_OF_TIME || balanceNano < -END_OF_TIME))
  )
    return null;
  const rows = await q.run(LIST, [
    accountId,
    before,
    balanceNano,
    above,
    kindsOf(search),
    from,
    to,
    limit + 1,
  ]);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const more = rows.length > limit && last !== undefined;
  return {
    entries: shown.map(entryOf),
    nextCursor: more
      ? entriesCursor(last.seq, (last.balanceAfterNano - last.changeNano) as Nano)
      : null,
  };
}

function kindsOf({
  moneyOnly,
  kind = null,
}: Pick<EntrySearch, "moneyOnly" | "kind">): readonly EntryKind[] {
  if (kind !== null) return [kind];
  return moneyOnly ? MONEY_ENTRY_KINDS : ENTRY_KINDS;
}

function entryOf({
  entryId,
  kind,
  changeNano,
  balanceAfterNano,
  amountNano,
  heldNano,
  releasedNano,
  budgetId,
  priceVersion,
  at,
  reference,
  note,
}: Entry): Entry {
  return {
    entryId,
    kind,
    changeNano,
    balanceAfterNano,
    amountNano,
    heldNano,
    releasedNano,
    budgetId,
    priceVersion,
    at,
    reference,
    note,
  };
}

/**
 * Begins a list with the newest entry numbered below `before`, after which the balance was this.
 */
export function entriesCursor(before: bigint, balanceNano: Nano): string {
  return `${before}.${balanceNano}`;
}

const END = statement({
  text: `
  SELECT entry_id AS "entryId", at, amount_nano AS "amountNano", held_nano AS "heldNano", released_nano AS "releasedNano"
  FROM ledger.entries WHERE entry_id = $1 AND account_id = $2`,
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
  const [row] = await q.run(END, [holdId, accountId]);
  return row ?? null;
}

const FIND_HELD = statement({
  text: `SELECT entry_id AS "entryId", held_nano AS "heldNano" FROM ledger.entries WHERE entry_id = ANY ($1::uuid[]) AND held_nano IS NOT NULL`,
  parameters: [sql.array(sql.uuid)],
  row: { entryId: sql.uuid, heldNano: sql.present(sql.nano) },
});

/** What was held, growth included, of holds that have ended. Others are missing. */
export async function findHeld(
  q: Queryable,
  holdIds: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, Nano>> {
  if (holdIds.length === 0) return new Map();
  const rows = await q.run(FIND_HELD, [holdIds]);
  return new Map(rows.map(({ entryId, heldNano }) => [entryId, heldNano]));
}

const COUNT = statement({
  text: `
  SELECT count(*)::int AS count FROM (
    SELECT FROM ledger.entries WHERE account_id = $1 AND seq > $2 AND kind::text = ANY ($3::text[])
      AND ($4::timestamptz IS NULL OR at >= $4) AND ($5::timestamptz IS NULL OR at < $5) LIMIT $6) entries`,
  parameters: [
    sql.uuid,
    sql.int8,
    sql.array(sql.text),
    sql.nullable(sql.timestamptz),
    sql.nullable(sql.timestamptz),
    sql.whole,
  ],
  row: { count: sql.int4 },
});

/** How many there are, counted up to `limit`. */
export async function countEntries(
  q: Queryable,
  search: Omit<EntrySearch, "cursor">,
): Promise<number> {
  const { accountId, limit, from = null, to = null, above = 0n } = search;
  const [row] = await q.run(COUNT, [accountId, above, kindsOf(search), from, to, limit]);
  return row?.count ?? 0;
}
