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
      coalesce(sum(charged_nano), 0)::bigint AS charged, coalesce(sum(ended), 0)::bigint AS ended, coalesce(sum(ended) FILTER (WHERE state = 'failed'), 0)::bigint AS failed,
      count(DISTINCT account_id) FILTER (WHERE charged_nano > 0) AS active
    FROM usage.hourly
    WHERE hour >= $1::date::timestamp AT TIME ZONE 'Europe/Moscow' AND hour < ($1::date + 1)::timestamp AT TIME ZONE 'Europe/Moscow'
    GROUP BY GROUPING SETS ((), (account_id), (model))),
  ranked AS (SELECT *, row_number() OVER (PARTITION BY grouped ORDER BY charged DESC, ended DESC) AS place FROM groups)
  SELECT grouped, account_id AS "accountId", model, charged AS "chargedNano", ended, failed, active FROM ranked WHERE place <= $2 ORDER BY grouped, place`,
  parameters: [sql.date, sql.whole],
  row: {
    grouped: sql.oneOf(GROUPINGS),
    accountId: sql.nullable(sql.uuid),
    model: sql.nullable(sql.text),
    chargedNano: sql.nano,
    ended: sql.int8,
    failed: sql.int8,
    active: sql.int8,
  },
});

/** Of each grouping the first so many, by what was charged. */
export async function todayGroups(q: Queryable, day: string, most: number): Promise<TodayGroup[]> {
  return q.run(TODAY, [day, most]);
}
