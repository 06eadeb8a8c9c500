/** What was earned: the ledger's charges with what receipts and tasks say of their upstream and its cost, summed once for each day that is over. */
import type { Queryable } from "../../db/database.ts";
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

// Each entry's receipt is looked up by itself: a join would be planned by a guess at how many there are. Its JSON is taken apart once.
const SUMS = `
  SELECT coalesce(r.model, t.model, '') AS model, coalesce(r.upstream, t.upstream, '') AS upstream, count(*) AS requests,
    sum(e.amount_nano)::bigint AS charged_nano, sum(coalesce(r.cost, t.cost))::bigint AS cost_nano,
    count(*) FILTER (WHERE u.unknown) AS unknown_requests, coalesce(sum(e.amount_nano) FILTER (WHERE u.unknown), 0)::bigint AS unknown_charged_nano,
    coalesce(sum(r.loss), 0)::bigint AS loss_nano
  FROM ledger.entries e
  LEFT JOIN LATERAL (
    SELECT q.model, d."upstreamCostNano" AS cost, d."lossNano" AS loss,
      (SELECT a ->> 'upstream' FROM json_array_elements(CASE json_typeof(d.attempts) WHEN 'array' THEN d.attempts ELSE '[]' END) a
       WHERE a ->> 'outcome' = 'served' LIMIT 1) AS upstream
    FROM usage.requests q CROSS JOIN LATERAL json_to_record(q.detail) AS d (attempts json, "upstreamCostNano" numeric, "lossNano" numeric)
    WHERE q.request_id = e.entry_id LIMIT 1) r ON true
  LEFT JOIN LATERAL (
    SELECT k.model, k.upstream, CASE k.state WHEN 'completed' THEN k.upstream_cost_nano END AS cost
    FROM tasks.tasks k WHERE k.task_id = e.entry_id AND e.reference LIKE 'task:%' LIMIT 1) t ON true
  CROSS JOIN LATERAL (SELECT coalesce(r.cost, t.cost) IS NULL AND (e.amount_nano > 0 OR r.upstream IS NOT NULL) AS unknown) u
  WHERE e.kind IN ('charge', 'release')
    AND e.at >= $1::date::timestamp AT TIME ZONE 'Europe/Moscow' AND e.at < ($1::date + 1)::timestamp AT TIME ZONE 'Europe/Moscow'
  GROUP BY 1, 2`;

const FIELDS = `day, model, upstream, requests, charged_nano AS "chargedNano", cost_nano AS "costNano", unknown_requests AS "unknownRequests",
  unknown_charged_nano AS "unknownChargedNano", loss_nano AS "lossNano"`;

/** Of a day that goes on, or whose sums are not kept yet: from its entries. */
export async function sumDay(q: Pick<Queryable, "query">, day: string): Promise<MarginSum[]> {
  return q.query<MarginSum>(`SELECT ${FIELDS} FROM (SELECT $1::date AS day, s.* FROM (${SUMS}) s) d`, [day]);
}

/** The last so many days of Moscow, from the first to today. */
export async function lastDays(q: Pick<Queryable, "query">, days: number): Promise<{ readonly from: string; readonly to: string }> {
  const [row] = await q.query<{ from: string; to: string }>(
    `SELECT today - $1::integer + 1 AS "from", today AS "to" FROM (SELECT (clock_timestamp() AT TIME ZONE 'Europe/Moscow')::date AS today) t`,
    [days],
  );
  assert(row !== undefined, "today is a day");
  return row;
}

/**
 * Keeps the sums of a day that is over; those of a day that are kept stay as they are. Has no statement timeout. False: somebody else is
 * at it now.
 */
export async function keepDay(tx: Pick<Queryable, "query">, day: string): Promise<boolean> {
  await tx.query("SET LOCAL statement_timeout = 0");
  const [lock] = await tx.query<{ taken: boolean }>(
    "SELECT pg_try_advisory_xact_lock(hashtext('tollgate margin'), $1::date - '2000-01-01'::date) AS taken",
    [day],
  );
  if (lock?.taken !== true) return false;
  const added = await tx.query("INSERT INTO operate.margin_days (day) VALUES ($1) ON CONFLICT DO NOTHING RETURNING true", [day]);
  if (added.length > 0) await tx.query(`INSERT INTO operate.margin SELECT $1::date, s.* FROM (${SUMS}) s`, [day]);
  return true;
}

/** The kept sums of these days, both included. */
export async function keptSums(q: Pick<Queryable, "query">, from: string, to: string): Promise<MarginSum[]> {
  return q.query<MarginSum>(`SELECT ${FIELDS} FROM operate.margin WHERE day BETWEEN $1 AND $2`, [from, to]);
}

/** Of the days from the first to the last, both included: those that are over but not kept, and those that are not over. */
export async function daysToSum(
  q: Pick<Queryable, "query">,
  from: string,
  to: string,
): Promise<{ readonly day: string; readonly over: boolean }[]> {
  // What is booked at midnight is committed soon after.
  return q.query(
    `SELECT d.day::date AS day, (d.day::date + 1)::timestamp AT TIME ZONE 'Europe/Moscow' < clock_timestamp() - interval '10 minutes' AS over
     FROM generate_series($1::date, $2::date, interval '1 day') AS d (day)
     LEFT JOIN operate.margin_days m ON m.day = d.day::date
     WHERE m.day IS NULL AND d.day::date <= (clock_timestamp() AT TIME ZONE 'Europe/Moscow')::date ORDER BY 1`,
    [from, to],
  );
}
