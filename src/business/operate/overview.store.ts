/** A day over all accounts, by the sums of hours that are added up with the ledger's entries. */
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { Nano } from "../../kernel/money.ts";

const GROUPINGS = ["all", "account", "model"] as const;

export interface TodayGroup {
  /** `all` has one row. */
  readonly grouped: (typeof GROUPINGS)[number];
  readonly accountId: Uuid | null;
  /** Empty: the receipt is lost or parked. */
  readonly model: string | null;
  readonly chargedNano: Nano;
  /** Of those whose cost is known; null: of none. */
  readonly costNano: Nano | null;
  readonly unknownChargedNano: Nano;
  readonly ended: bigint;
  readonly failed: bigint;
  /** Accounts that were charged. */
  readonly active: bigint;
}

const TODAY = statement({
  text: `
  WITH groups AS (
    SELECT CASE WHEN grouping(account_id) = 0 THEN 'account' WHEN grouping(model) = 0 THEN 'model' ELSE 'all' END AS grouped,
      CASE WHEN grouping(account_id) = 0 THEN account_id END AS account_id, CASE WHEN grouping(model) = 0 THEN model END AS model,
      coalesce(sum(charged_nano), 0)::bigint AS charged, sum(cost_nano)::bigint AS cost, coalesce(sum(unknown_charged_nano), 0)::bigint AS unknown_charged,
      coalesce(sum(ended), 0)::bigint AS ended, coalesce(sum(ended) FILTER (WHERE state = 'failed'), 0)::bigint AS failed,
      count(DISTINCT account_id) FILTER (WHERE charged_nano > 0) AS active
    FROM usage.hourly
    WHERE hour >= $1::date::timestamp AT TIME ZONE 'Europe/Moscow' AND hour < ($1::date + 1)::timestamp AT TIME ZONE 'Europe/Moscow'
    GROUP BY GROUPING SETS ((), (account_id), (model))),
  ranked AS (SELECT *, row_number() OVER (PARTITION BY grouped ORDER BY charged DESC, ended DESC) AS place FROM groups)
  SELECT grouped, account_id AS "accountId", model, charged AS "chargedNano", cost AS "costNano", unknown_charged AS "unknownChargedNano", ended, failed, active
  FROM ranked WHERE place <= $2 ORDER BY grouped, place`,
  parameters: [sql.date, sql.whole],
  row: {
    grouped: sql.oneOf(GROUPINGS),
    accountId: sql.nullable(sql.uuid),
    model: sql.nullable(sql.text),
    chargedNano: sql.nano,
    costNano: sql.nullable(sql.nano),
    unknownChargedNano: sql.nano,
    ended: sql.int8,
    failed: sql.int8,
    active: sql.int8,
  },
});

/** Of each grouping the first so many, by what was charged. */
export async function todayGroups(q: Queryable, day: string, most: number): Promise<TodayGroup[]> {
  return q.run(TODAY, [day, most]);
}

export interface Percentiles {
  readonly requests: bigint;
  /** p50 and p95 in ms; null: nothing to measure. */
  readonly whole: readonly number[] | null;
  readonly firstContent: readonly number[] | null;
}

const PERCENTILES = statement({
  text: `
  SELECT count(*) AS requests,
    percentile_cont(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY duration_ms::float8) FILTER (WHERE state = 'completed' AND duration_ms IS NOT NULL) AS whole,
    percentile_cont(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY first_ms::float8) FILTER (WHERE first_ms IS NOT NULL) AS "firstContent"
  FROM (SELECT state, duration_ms, first_ms FROM usage.requests WHERE request_id >= $1 ORDER BY request_id DESC LIMIT $2) r`,
  parameters: [sql.uuid, sql.whole],
  row: {
    requests: sql.int8,
    whole: sql.nullable(sql.array(sql.float8)),
    firstContent: sql.nullable(sql.array(sql.float8)),
  },
});

/** Of the newest requests from an id on. */
export async function percentilesOf(
  q: Queryable,
  start: Uuid,
  newest: number,
): Promise<Percentiles> {
  const [row] = await q.run(PERCENTILES, [start, newest]);
  return row ?? { requests: 0n, whole: null, firstContent: null };
}
