/**
 * What was earned, by the sums of hours that are added up with the ledger's entries; those of a day
 * that is over are kept by model and upstream alone.
 */
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";
import { assert } from "../../kernel/assert.ts";
import type { Nano } from "../../kernel/money.ts";

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
  SELECT model, upstream, sum(ended)::bigint AS requests, sum(charged_nano)::bigint AS charged_nano, sum(cost_nano)::bigint AS cost_nano,
    sum(unknown_requests)::bigint AS unknown_requests, sum(unknown_charged_nano)::bigint AS unknown_charged_nano, sum(loss_nano)::bigint AS loss_nano
  FROM usage.hourly
  WHERE hour >= $1::date::timestamp AT TIME ZONE 'Europe/Moscow' AND hour < ($1::date + 1)::timestamp AT TIME ZONE 'Europe/Moscow'
  GROUP BY 1, 2`;

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

/** Of a day whose sums are not kept. */
export async function sumDay(q: Queryable, day: string): Promise<MarginSum[]> {
  return q.run(SUM_DAY, [day]);
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
}

// What is booked at midnight is committed soon after.
const TO_SUM = statement({
  text: `SELECT d.day::date AS day, (d.day::date + 1)::timestamp AT TIME ZONE 'Europe/Moscow' < clock_timestamp() - interval '10 minutes' AS over
     FROM generate_series($1::date, $2::date, interval '1 day') AS d (day)
     LEFT JOIN operate.margin_days m ON m.day = d.day::date
     WHERE m.day IS NULL AND d.day::date <= (clock_timestamp() AT TIME ZONE 'Europe/Moscow')::date ORDER BY 1`,
  parameters: [sql.date, sql.date],
  row: { day: sql.date, over: sql.bool },
});

/**
 * Of the days from the first to the last, both included: those that are over but not kept, and
 * those that are not over.
 */
export async function daysToSum(q: Queryable, from: string, to: string): Promise<DayToSum[]> {
  return q.run(TO_SUM, [from, to]);
}
