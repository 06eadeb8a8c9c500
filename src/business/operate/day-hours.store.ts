/**
 * What the hours of today, of yesterday and of a week ago brought, over all accounts, by the sums of
 * hours that are added up with the ledger's entries.
 */
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { Nano } from "../../kernel/money.ts";

export interface HourSum {
  /** 0: today; 1: yesterday; 7: a week ago. */
  readonly daysBack: number;
  /** 0 to 23, of Moscow. */
  readonly hour: number;
  readonly chargedNano: Nano;
  /** Of those whose cost is known; null: of none. */
  readonly costNano: Nano | null;
  readonly unknownChargedNano: Nano;
  readonly lossNano: Nano;
  readonly ended: bigint;
  readonly failed: bigint;
  /** Chats that were served, and how long they took together. */
  readonly served: bigint;
  readonly servedMs: bigint;
  /** Chats that had a first token, and how long that took together. */
  readonly firsts: bigint;
  readonly firstMs: bigint;
}

const HOURS = statement({
  text: `
  SELECT b.back AS "daysBack", extract(hour FROM h.hour AT TIME ZONE 'Europe/Moscow')::int AS hour,
    sum(h.charged_nano)::bigint AS "chargedNano", sum(h.cost_nano)::bigint AS "costNano",
    sum(h.unknown_charged_nano)::bigint AS "unknownChargedNano", sum(h.loss_nano)::bigint AS "lossNano",
    sum(h.ended)::bigint AS ended, coalesce(sum(h.ended) FILTER (WHERE h.state = 'failed'), 0)::bigint AS failed,
    coalesce(sum(h.ended) FILTER (WHERE h.kind = 'chat' AND h.state = 'completed'), 0)::bigint AS served,
    coalesce(sum(h.duration_ms) FILTER (WHERE h.kind = 'chat' AND h.state = 'completed'), 0)::bigint AS "servedMs",
    coalesce(sum(h.firsts) FILTER (WHERE h.kind = 'chat'), 0)::bigint AS firsts,
    coalesce(sum(h.first_ms) FILTER (WHERE h.kind = 'chat'), 0)::bigint AS "firstMs"
  FROM unnest('{0,1,7}'::int[]) AS b (back)
  JOIN usage.hourly h ON h.hour >= ($1::date - b.back)::timestamp AT TIME ZONE 'Europe/Moscow'
    AND h.hour < ($1::date - b.back + 1)::timestamp AT TIME ZONE 'Europe/Moscow'
  GROUP BY 1, 2`,
  parameters: [sql.date],
  row: {
    daysBack: sql.int4,
    hour: sql.int4,
    chargedNano: sql.nano,
    costNano: sql.nullable(sql.nano),
    unknownChargedNano: sql.nano,
    lossNano: sql.nano,
    ended: sql.int8,
    failed: sql.int8,
    served: sql.int8,
    servedMs: sql.int8,
    firsts: sql.int8,
    firstMs: sql.int8,
  },
});

/** Hours in which nothing ended are missing. `today`: YYYY-MM-DD, of Moscow. */
export async function hourSums(q: Queryable, today: string): Promise<HourSum[]> {
  return q.run(HOURS, [today]);
}

const CHARGED = statement({
  text: `
  SELECT account_id AS "accountId", sum(charged_nano)::bigint AS "chargedNano" FROM usage.hourly
  WHERE account_id = ANY ($1::uuid[]) AND hour >= $2 AND hour < $3 GROUP BY 1`,
  parameters: [sql.array(sql.uuid), sql.timestamptz, sql.timestamptz],
  row: { accountId: sql.uuid, chargedNano: sql.nano },
});

/** What these accounts were charged in whole hours; those without a request are missing. */
export async function chargedInHours(
  q: Queryable,
  accountIds: readonly Uuid[],
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<ReadonlyMap<Uuid, Nano>> {
  const rows = await q.run(CHARGED, [accountIds, from, to]);
  return new Map(rows.map(({ accountId, chargedNano }) => [accountId, chargedNano]));
}
