/**
 * What an account used, point by point and part by part, by the sums of hours and days that are
 * added up with its entries. One statement reads them once: the key of `usage.hourly`, of
 * `usage.daily` or, where no key is asked for, of `usage.account_daily` begins with the account and
 * the time, and serves it.
 */
import type { UsageFigure, UsagePartKind } from "../../../contract/enums/usage-range.ts";
import type { Queryable } from "../../../db/database.ts";
import { sql } from "../../../db/sql-type.ts";
import { statement } from "../../../db/statement.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import type { SpendSum } from "./spend.store.ts";
import type { UsagePlan, UsageSource } from "./plan-usage.ts";

/** With the rest, as many as charts have colours. */
const MOST = 5;

export interface UsageSum extends SpendSum {
  /** Of requests, without tasks; null: the sums do not say. */
  readonly lastedMs: bigint | null;
  /** To the first content of those that had one, and how many had; null: the sums do not say. */
  readonly firstMs: bigint | null;
  readonly firsts: bigint | null;
}

export interface UsageCell extends UsageSum {
  /** A point of the plan, or one of those before. */
  readonly at: string;
  /**
   * A key's, a member's or a group's id, a model or a kind, whichever was asked for; empty: of none;
   * null: all that are not among those with most.
   */
  readonly part: string | null;
  /** How many parts have some of the figure in the points of the plan. */
  readonly parts: bigint;
}

export interface UsageSearch {
  readonly accountId: Uuid;
  readonly by: UsagePartKind;
  /** Of which those that are named have most. */
  readonly figure: UsageFigure;
  /** Of these keys only; null: of all. */
  readonly keyIds: readonly Uuid[] | null;
  readonly model: string | null;
  readonly kind: string | null;
}

const MATCH = `account_id = $1 AND ($5::uuid[] IS NULL OR key_id = ANY ($5)) AND ($6::text IS NULL OR model = $6) AND ($7::text IS NULL OR kind = $7)`;
// Where no key is asked for; the same places, so that all are called alike.
const MATCH_OVER_KEYS = `account_id = $1 AND $5::uuid[] IS NULL AND ($6::text IS NULL OR model = $6) AND ($7::text IS NULL OR kind = $7)`;
// Rows are put together by what they have, and only the sums are made text. Sums name no owner: those
// of a member are those of the keys that are its own now.
const PARTS = `CASE WHEN $8::text IN ('key', 'member') THEN key_id WHEN $8::text = 'group' THEN group_id END AS part_id,
      CASE WHEN $8::text = 'model' THEN model WHEN $8::text = 'kind' THEN kind END AS part_name`;
const PART = `coalesce(CASE WHEN $8::text = 'member' THEN k.owner_id ELSE part_id END::text, part_name, '')`;
const OWNERS = `LEFT JOIN keys.keys k ON $8::text = 'member' AND k.account_id = $1 AND k.key_id = part_id`;
const COMMON = `sum(charged_nano) AS charged, coalesce(sum(ended) FILTER (WHERE kind <> 'task'), 0) AS requests,
      coalesce(sum(ended) FILTER (WHERE kind = 'task'), 0) AS tasks, sum(input_tokens) AS input, sum(cached_tokens) AS cached, sum(output_tokens) AS output`;
const OF_HOURS = `${COMMON}, coalesce(sum(ended) FILTER (WHERE state = 'failed'), 0) AS failed,
      coalesce(sum(duration_ms) FILTER (WHERE kind <> 'task'), 0) AS lasted, sum(first_ms) AS first, sum(firsts) AS firsts`;
const OF_DAYS = `${COMMON}, sum(failed) AS failed, NULL::numeric AS lasted, NULL::numeric AS first, NULL::numeric AS firsts`;

// Points are text that sorts as they do: $4 is the first one of the plan, what is earlier is only
// compared with.
const HOUR = `to_char(point AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"')`;
const DAY = `to_char(point::timestamp, 'YYYY-MM-DD')`;
const SUMS = `charged, requests, tasks, failed, input, cached, output, lasted, first, firsts`;
const TEXT = `${PART} AS part, ${SUMS}`;
const WEIGHT = `CASE $9::text WHEN 'spent' THEN charged WHEN 'tokens' THEN input + output WHEN 'errors' THEN failed WHEN 'cache' THEN input
      WHEN 'requests' THEN requests + tasks ELSE requests END`;
const BY_PART = `
  parts AS MATERIALIZED (
    SELECT part, sum(${WEIGHT}) AS weight FROM cells WHERE at >= $4::text GROUP BY part HAVING sum(${WEIGHT}) > 0),
  named AS MATERIALIZED (SELECT part FROM parts ORDER BY weight DESC, part LIMIT ${MOST})
  SELECT at, CASE WHEN part IN (SELECT part FROM named) THEN part END AS part, sum(charged)::bigint AS "chargedNano",
    sum(requests)::bigint AS requests, sum(tasks)::bigint AS tasks, sum(failed)::bigint AS failed, sum(input)::bigint AS "inputTokens",
    sum(cached)::bigint AS "cachedTokens", sum(output)::bigint AS "outputTokens", sum(lasted)::bigint AS "lastedMs",
    sum(first)::bigint AS "firstMs", sum(firsts)::bigint AS firsts, (SELECT count(*) FROM parts) AS parts
  FROM cells GROUP BY 1, 2`;

const FILTERS = [
  sql.text,
  sql.nullable(sql.array(sql.uuid)),
  sql.nullable(sql.text),
  sql.nullable(sql.text),
  sql.text,
  sql.text,
] as const;
const ROW = {
  at: sql.text,
  part: sql.nullable(sql.text),
  chargedNano: sql.nano,
  requests: sql.int8,
  tasks: sql.int8,
  failed: sql.int8,
  inputTokens: sql.int8,
  cachedTokens: sql.int8,
  outputTokens: sql.int8,
  lastedMs: sql.nullable(sql.int8),
  firstMs: sql.nullable(sql.int8),
  firsts: sql.nullable(sql.int8),
  parts: sql.int8,
};

const HOURS = statement({
  text: `
  WITH cells AS MATERIALIZED (
    SELECT ${HOUR} AS at, ${TEXT} FROM (
      SELECT hour AS point, ${PARTS}, ${OF_HOURS} FROM usage.hourly WHERE ${MATCH} AND hour >= $2 AND hour <= $3 GROUP BY 1, 2, 3) found ${OWNERS}),
  ${BY_PART}`,
  parameters: [sql.uuid, sql.timestamptz, sql.timestamptz, ...FILTERS],
  row: ROW,
});
const DAYS_OF_HOURS = statement({
  text: `
  WITH cells AS MATERIALIZED (
    SELECT ${DAY} AS at, ${TEXT} FROM (
      SELECT (hour AT TIME ZONE 'Europe/Moscow')::date AS point, ${PARTS}, ${OF_HOURS} FROM usage.hourly
      WHERE ${MATCH} AND hour >= $2::date::timestamp AT TIME ZONE 'Europe/Moscow' AND hour < ($3::date + 1)::timestamp AT TIME ZONE 'Europe/Moscow'
      GROUP BY 1, 2, 3) found ${OWNERS}),
  ${BY_PART}`,
  parameters: [sql.uuid, sql.date, sql.date, ...FILTERS],
  row: ROW,
});
const DAYS = statement({
  text: `
  WITH cells AS MATERIALIZED (
    SELECT ${DAY} AS at, ${TEXT} FROM (
      SELECT day AS point, ${PARTS}, ${OF_DAYS} FROM usage.days WHERE ${MATCH} AND day BETWEEN $2 AND $3 GROUP BY 1, 2, 3) found ${OWNERS}),
  ${BY_PART}`,
  parameters: [sql.uuid, sql.date, sql.date, ...FILTERS],
  row: ROW,
});

// Days over all keys tell states and times of answers, too, and are a few rows each.
const DAYS_OVER_KEYS = statement({
  text: `
  WITH cells AS MATERIALIZED (
    SELECT ${DAY} AS at, coalesce(part_name, '') AS part, ${SUMS} FROM (
      SELECT day AS point, CASE WHEN $8::text = 'model' THEN model WHEN $8::text = 'kind' THEN kind END AS part_name, ${OF_HOURS}
      FROM usage.account_days WHERE ${MATCH_OVER_KEYS} AND day BETWEEN $2 AND $3 GROUP BY 1, 2) found),
  ${BY_PART}`,
  parameters: [sql.uuid, sql.date, sql.date, ...FILTERS],
  row: ROW,
});

// What is earlier is compared as a whole: keys are told apart in the points of the plan alone.
const DAYS_BY_KEY = statement({
  text: `
  WITH cells AS MATERIALIZED (
    SELECT ${DAY} AS at, ${TEXT} FROM (
      SELECT day AS point, ${PARTS}, ${OF_DAYS} FROM usage.days WHERE ${MATCH} AND day BETWEEN $4::text::date AND $3 GROUP BY 1, 2, 3) found ${OWNERS}
    UNION ALL
    SELECT ${DAY}, NULL, ${SUMS} FROM (
      SELECT day AS point, ${COMMON}, coalesce(sum(ended) FILTER (WHERE state = 'failed'), 0) AS failed, NULL::numeric AS lasted, NULL::numeric AS first,
        NULL::numeric AS firsts
      FROM usage.account_days WHERE ${MATCH_OVER_KEYS} AND day >= $2 AND day < $4::text::date GROUP BY 1) earlier),
  ${BY_PART}`,
  parameters: [sql.uuid, sql.date, sql.date, ...FILTERS],
  row: ROW,
});

/** Of the points of the plan and of those before, in one snapshot; what has nothing is missing. */
export async function usageCells(
  q: Queryable,
  { source, points, before }: UsagePlan,
  { accountId, by, figure, keyIds, model, kind }: UsageSearch,
): Promise<UsageCell[]> {
  const [begin = "", first = "", last = ""] = [before[0], points[0], points.at(-1)];
  const filters = [first, keyIds, model, kind, by, figure] as const;
  if (source === "hours")
    return q.run(HOURS, [accountId, new Date(begin), new Date(last), ...filters]);
  return q.run(ofDays(source, by, keyIds), [accountId, begin, last, ...filters]);
}

function ofDays(
  source: Exclude<UsageSource, "hours">,
  by: UsagePartKind,
  keyIds: UsageSearch["keyIds"],
) {
  if (keyIds === null && (by === "model" || by === "kind")) return DAYS_OVER_KEYS;
  if (source === "days-of-hours") return DAYS_OF_HOURS;
  return keyIds === null ? DAYS_BY_KEY : DAYS;
}
