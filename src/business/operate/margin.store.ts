/**
 * What was earned: the ledger's charges with what receipts and tasks say of their upstream and its
 * cost, summed once for each day that is over.
 */
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";
import { assert } from "../../kernel/assert.ts";
import type { Nano } from "../../kernel/money.ts";
import { ENDED_ENTRIES, MARGIN_SUMS } from "../panel/account/ended-entries.store.ts";
import { UNCOUNTED_OF_ALL } from "../panel/account/uncounted-entries.store.ts";

export interface MarginSum {
  /** YYYY-MM-DD, a day of Moscow. */
  readonly day: string;
  /** Empty: the receipt is lost or parked. */
  readonly model: string;
  /** Empty: none served it. */
  readonly upstream: string;
  readonly requests: bigint;
  readonly chargedNano: Nano;
  /** Of those whose cost is known; null: of none. */
  readonly costNano: Nano | null;
  readonly unknownRequests: bigint;
  readonly unknownChargedNano: Nano;
  readonly lossNano: Nano;
}

const SUMS = `
  WITH part AS (
    SELECT * FROM ledger.entries
    WHERE at >= $1::date::timestamp AT TIME ZONE 'Europe/Moscow' AND at < ($1::date + 1)::timestamp AT TIME ZONE 'Europe/Moscow'
  ), ended AS (${ENDED_ENTRIES})
  SELECT model, upstream, ${MARGIN_SUMS} FROM ended GROUP BY 1, 2`;

const SUM_ROW = {
  day: sql.date,
  model: sql.text,
  upstream: sql.text,
  requests: sql.int8,
  chargedNano: sql.nano,
  costNano: sql.nullable(sql.nano),
  unknownRequests: sql.int8,
  unknownChargedNano: sql.nano,
  lossNano: sql.nano,
};

const FIELDS = `day, model, upstream, requests, charged_nano AS "chargedNano", cost_nano AS "costNano", unknown_requests AS "unknownRequests",
  unknown_charged_nano AS "unknownChargedNano", loss_nano AS "lossNano"`;

const SUM_DAY = statement({
  text: `SELECT ${FIELDS} FROM (SELECT $1::date AS day, s.* FROM (${SUMS}) s) d`,
  parameters: [sql.date],
  row: SUM_ROW,
});

/** Of a day whose sums neither are kept nor were counted on the way: from its entries. */
export async function sumDay(q: Queryable, day: string): Promise<MarginSum[]> {
  return q.run(SUM_DAY, [day]);
}

const RUNNING = statement({
  text: `
  WITH part AS (${UNCOUNTED_OF_ALL}
  ), ended AS (${ENDED_ENTRIES}), sums AS (
    SELECT * FROM operate.running_margin WHERE day = $1::date
    UNION ALL SELECT day, account_id, model, upstream, ${MARGIN_SUMS} FROM ended WHERE day = $1::date GROUP BY 1, 2, 3, 4)
  SELECT day, model, upstream, sum(requests)::bigint AS requests, sum(charged_nano)::bigint AS "chargedNano", sum(cost_nano)::bigint AS "costNano",
    sum(unknown_requests)::bigint AS "unknownRequests", sum(unknown_charged_nano)::bigint AS "unknownChargedNano", sum(loss_nano)::bigint AS "lossNano"
  FROM sums GROUP BY 1, 2, 3`,
  parameters: [sql.date],
  row: SUM_ROW,
});

/**
 * Of a day that goes on, or is over since a moment: what is counted, and whatever is not yet, in
 * one snapshot.
 */
export async function runningSums(q: Queryable, day: string): Promise<MarginSum[]> {
  return q.run(RUNNING, [day]);
}

const FORGET_RUNNING = statement({
  text: `DELETE FROM operate.running_margin r USING operate.margin_days d
     WHERE r.day = d.day AND d.day < (clock_timestamp() AT TIME ZONE 'Europe/Moscow')::date - 1`,
});

/** Long after their day was kept no process reads them any more. */
export async function forgetRunning(q: Queryable): Promise<void> {
  await q.run(FORGET_RUNNING, []);
}

const LAST_DAYS = statement({
  text: `SELECT today - $1::integer + 1 AS "from", today AS "to" FROM (SELECT (clock_timestamp() AT TIME ZONE 'Europe/Moscow')::date AS today) t`,
  parameters: [sql.int4],
  row: { from: sql.date, to: sql.date },
});

/** The last so many days of Moscow, from the first to today. */
export async function lastDays(
  q: Queryable,
  days: number,
): Promise<{ readonly from: string; readonly to: string }> {
  const [row] = await q.run(LAST_DAYS, [days]);
  assert(row !== undefined, "today is a day");
  return row;
}

const UNLIMITED = statement({ text: "SET LOCAL statement_timeout = 0" });

const TAKE_DAY = statement({
  text: "SELECT pg_try_advisory_xact_lock(hashtext('tollgate margin'), $1::date - '2000-01-01'::date) AS taken",
  parameters: [sql.date],
  row: { taken: sql.bool },
});

const ADD_DAY = statement({
  text: "INSERT INTO operate.margin_days (day) VALUES ($1) ON CONFLICT DO NOTHING RETURNING true AS added",
  parameters: [sql.date],
  row: { added: sql.bool },
});

const KEEP_DAY = statement({
  text: `INSERT INTO operate.margin SELECT $1::date, s.* FROM (${SUMS}) s`,
  parameters: [sql.date],
});

/**
 * Keeps the sums of a day that is over; those of a day that are kept stay as they are. Has no
 * statement timeout. False: another process is at it now.
 */
export async function keepDay(tx: Queryable, day: string): Promise<boolean> {
  await tx.run(UNLIMITED, []);
  const [lock] = await tx.run(TAKE_DAY, [day]);
  if (lock?.taken !== true) return false;
  const added = await tx.run(ADD_DAY, [day]);
  if (added.length > 0) await tx.run(KEEP_DAY, [day]);
  return true;
}

const KEPT = statement({
  text: `SELECT ${FIELDS} FROM operate.margin WHERE day BETWEEN $1 AND $2`,
  parameters: [sql.date, sql.date],
  row: SUM_ROW,
});

/** The kept sums of these days, both included. */
export async function keptSums(q: Queryable, from: string, to: string): Promise<MarginSum[]> {
  return q.run(KEPT, [from, to]);
}

export interface DayToSum {
  readonly day: string;
  readonly over: boolean;
  /** Its sums are counted on the way. */
  readonly running: boolean;
}

// What is booked at midnight is committed soon after.
const TO_SUM = statement({
  text: `SELECT d.day::date AS day, (d.day::date + 1)::timestamp AT TIME ZONE 'Europe/Moscow' < clock_timestamp() - interval '10 minutes' AS over,
       d.day::date >= (SELECT s.day FROM operate.running_since s) AS running
     FROM generate_series($1::date, $2::date, interval '1 day') AS d (day)
     LEFT JOIN operate.margin_days m ON m.day = d.day::date
     WHERE m.day IS NULL AND d.day::date <= (clock_timestamp() AT TIME ZONE 'Europe/Moscow')::date ORDER BY 1`,
  parameters: [sql.date, sql.date],
  row: { day: sql.date, over: sql.bool, running: sql.bool },
});

/**
 * Of the days from the first to the last, both included: those that are over but not kept, and
 * those that are not over.
 */
export async function daysToSum(q: Queryable, from: string, to: string): Promise<DayToSum[]> {
  return q.run(TO_SUM, [from, to]);
}
