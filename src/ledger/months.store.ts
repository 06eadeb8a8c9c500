/** Months of entries: which are here, which are closed, and the steps by which one is archived. */
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";

/** `2026-01`, as of Moscow. */
export type Month = string;

const STATES = ["sealed", "archived", "dropped"] as const;

export interface ClosedMonth {
  readonly month: Month;
  readonly state: (typeof STATES)[number];
  readonly entries: bigint;
  readonly sealedAt: Date;
  /** In the archive: named before its first byte is written, and known to be whole once archived. */
  readonly file: string | null;
}

const CLOSED = statement({
  text: `
  SELECT to_char(month, 'YYYY-MM') AS month, state, entries, sealed_at AS "sealedAt", file FROM ledger.months ORDER BY month`,
  row: {
    month: sql.text,
    state: sql.oneOf(STATES),
    entries: sql.int8,
    sealedAt: sql.timestamptz,
    file: sql.nullable(sql.text),
  },
});

/** All that were ever closed, the oldest first. */
export async function closedMonths(q: Queryable): Promise<ClosedMonth[]> {
  return q.run(CLOSED, []);
}

// Partitions alone know which months there are.
const HERE = statement({
  text: `
  SELECT translate(right(c.relname::text, 7), '_', '-') AS month FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE i.inhparent = 'ledger.entries'::regclass AND c.relname ~ '^entries_[0-9]{4}_[0-9]{2}$' ORDER BY 1`,
  row: { month: sql.text },
});

/** Those whose entries are here, open or closed, the oldest first. */
export async function monthsHere(q: Queryable): Promise<Month[]> {
  return (await q.run(HERE, [])).map(({ month }) => month);
}

const NOW = statement({
  text: "SELECT to_char(clock_timestamp() AT TIME ZONE 'Europe/Moscow', 'YYYY-MM') AS month",
  row: { month: sql.text },
});

/** The month that runs, by the database's clock. */
export async function runningMonth(q: Queryable): Promise<Month> {
  const [row] = await q.run(NOW, []);
  return row?.month ?? "";
}

const LOCK_BRIEFLY = statement({ text: "SET LOCAL lock_timeout = '2s'" });
const KEEP_AHEAD = statement({
  text: `
  SELECT ledger.keep_months(today, (today + interval '3 months')::date) FROM (SELECT (clock_timestamp() AT TIME ZONE 'Europe/Moscow')::date AS today) now`,
  row: { keep_months: sql.void },
});

/**
 * Makes what is missing of the running month and of the three after it. Throws Fault("overloaded")
 * where the lock for it is not had soon, because another process reads all entries: to be tried again.
 * While it waits, entries are written, and who reads those of all months waits with it.
 */
export async function keepMonthsAhead(tx: Queryable): Promise<void> {
  await tx.run(LOCK_BRIEFLY, []);
  await tx.run(KEEP_AHEAD, []);
}

const REFUSALS = ["running", "awaited", "today"] as const;

export type SealVerdict =
  | { readonly kind: "sealed"; readonly entries: bigint }
  | {
      readonly kind: "refused";
      /**
       * It is not over for two days; a hold, an unfinished request or a page waits for an entry of
       * it; or an entry of it was booked today.
       */
      readonly why: (typeof REFUSALS)[number];
    };

const SEAL = statement({
  text: "SELECT refused, entries FROM ledger.seal_month(to_date($1, 'YYYY-MM'))",
  parameters: [sql.text],
  row: { refused: sql.nullable(sql.oneOf(REFUSALS)), entries: sql.nullable(sql.int8) },
});

/** A month is read as a whole, however large it is. */
const NO_TIMEOUT = statement({ text: "SET LOCAL statement_timeout = 0" });

/** Of a month that is here and open. From the commit on it takes no entry. */
export async function sealMonth(tx: Queryable, month: Month): Promise<SealVerdict> {
  await tx.run(NO_TIMEOUT, []);
  const [row] = await tx.run(SEAL, [month]);
  if (row === undefined) throw new Error("a function has one row");
  return row.refused === null
    ? { kind: "sealed", entries: row.entries ?? 0n }
    : { kind: "refused", why: row.refused };
}

const NAME_FILE = statement({
  text: `
  UPDATE ledger.months SET file = $2 WHERE month = to_date($1, 'YYYY-MM') AND state = 'sealed' AND file IS NOT DISTINCT FROM $3
  RETURNING true AS done`,
  parameters: [sql.text, sql.text, sql.nullable(sql.text)],
  row: { done: sql.bool },
});

/**
 * Says where a sealed month's rows are going to be, in place of the file that it had before. False:
 * another process was here meanwhile.
 */
export async function nameFile(
  q: Queryable,
  month: Month,
  { file, before }: { readonly file: string; readonly before: string | null },
): Promise<boolean> {
  return (await q.run(NAME_FILE, [month, file, before])).length === 1;
}

const MARK_ARCHIVED = statement({
  text: `
  UPDATE ledger.months SET state = 'archived', edition = $3, bytes = $4, sha256 = $5, archived_at = clock_timestamp()
  WHERE month = to_date($1, 'YYYY-MM') AND state = 'sealed' AND file = $2 RETURNING true AS done`,
  parameters: [sql.text, sql.text, sql.int4, sql.whole, sql.text],
  row: { done: sql.bool },
});

export interface ArchivedFile {
  readonly file: string;
  readonly edition: number;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

/** Once the file was read back and agrees. False: another process was here meanwhile. */
export async function markArchived(
  tx: Queryable,
  month: Month,
  { file, edition, bytes, sha256 }: ArchivedFile,
): Promise<boolean> {
  return (await tx.run(MARK_ARCHIVED, [month, file, edition, bytes, sha256])).length === 1;
}

const DROP = statement({
  text: "SELECT ledger.drop_month(to_date($1, 'YYYY-MM')) AS dropped",
  parameters: [sql.text],
  row: { dropped: sql.bool },
});

/**
 * Takes an archived month out of the database. False: it is not archived, or gone already. Throws
 * Fault("overloaded") where the lock for it is not had at once: to be tried again.
 */
export async function dropMonth(tx: Queryable, month: Month): Promise<boolean> {
  const [row] = await tx.run(DROP, [month]);
  return row?.dropped === true;
}

/** Held for as long as its connection lasts. */
const TAKE_ARCHIVER_PLACE = statement({
  text: "SELECT pg_try_advisory_lock(hashtextextended('ledger.archive', 0)) AS taken",
  row: { taken: sql.bool },
});

/** One archiver works at a time. False: there is another. */
export async function takeArchiverPlace(q: Queryable): Promise<boolean> {
  const [row] = await q.run(TAKE_ARCHIVER_PLACE, []);
  return row?.taken === true;
}

const LEAVE_ARCHIVER_PLACE = statement({
  text: "SELECT pg_advisory_unlock(hashtextextended('ledger.archive', 0)) AS left",
  row: { left: sql.bool },
});

export async function leaveArchiverPlace(q: Queryable): Promise<void> {
  await q.run(LEAVE_ARCHIVER_PLACE, []);
}
