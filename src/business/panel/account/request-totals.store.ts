/**
 * What the requests of a filter add up to: days, and hours, that lie within its time as a whole by
 * their sums, hours at its edges by their entries. The key of `usage.hourly` (account, hour …) and that of
 * `ledger.entries` (account, id) serve it; without a time it is `usage.account_daily` (account, day …),
 * of some keys `usage.daily`, or all hours of the account where a state of theirs is asked for.
 */
import type { Queryable } from "../../../db/database.ts";
import { sql } from "../../../db/sql-type.ts";
import { statement } from "../../../db/statement.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import type { Nano } from "../../../kernel/money.ts";
import { GREATEST_ID, LEAST_ID } from "../../../usage/id-spans.ts";

/** What one cost and how long it took; null: no bound. Both bounds belong to it. */
export interface RequestWeights {
  readonly chargedFromNano: Nano | null;
  readonly chargedToNano: Nano | null;
  readonly durationFromMs: number | null;
  readonly durationToMs: number | null;
}

export interface TotalsSearch {
  readonly accountId: Uuid;
  /** Of these keys only; null: of all. */
  readonly keyIds: readonly Uuid[] | null;
  readonly model: string | null;
  readonly state: string | null;
  readonly kind: string | null;
  /** Absent or null: whatever it cost and took. */
  readonly weights?: RequestWeights | null;
  /** All ids are below it; null: no bound. */
  readonly cursor: Uuid | null;
  /** None is below it; null: no bound. */
  readonly floor: Uuid | null;
}

export interface FoundTotals {
  readonly requests: bigint;
  /** Of them, those that are no tasks. */
  readonly answered: bigint;
  readonly failed: bigint;
  readonly chargedNano: Nano;
  readonly inputTokens: bigint;
  readonly cachedTokens: bigint;
  readonly outputTokens: bigint;
  /** Null: the sums of days do not say. */
  readonly lastedMs: bigint | null;
  readonly firstMs: bigint | null;
  readonly firsts: bigint | null;
  /** How many entries at the edges were looked at, and whether there are edges. */
  readonly counted: bigint;
  readonly edges: boolean;
}

const SUMS = `sum(ended) AS ended, coalesce(sum(ended) FILTER (WHERE kind <> 'task'), 0) AS answered,
      coalesce(sum(ended) FILTER (WHERE state = 'failed'), 0) AS failed, sum(charged_nano) AS charged, sum(input_tokens) AS input,
      sum(cached_tokens) AS cached, sum(output_tokens) AS output, coalesce(sum(duration_ms) FILTER (WHERE kind <> 'task'), 0) AS lasted,
      sum(first_ms) AS first, sum(firsts) AS firsts`;
const KIND = `CASE WHEN e.reference LIKE 'task:%' THEN 'task' ELSE usage.kind_of(e.endpoint) END`;

/** What stands in lists of requests, of the entries `e` of an account $1, by key, model, state and kind. */
const LISTED_ENTRIES = `e.account_id = $1 AND e.kind IN ('charge', 'release') AND e.model IS NOT NULL
      AND (e.endpoint IS NOT NULL OR e.reference LIKE 'task:%') AND ($2::uuid[] IS NULL OR e.budget_id = ANY ($2)) AND ($3::text IS NULL OR e.model = $3)
      AND ($4::text IS NULL OR e.state = $4) AND ($7::text IS NULL OR ${KIND} = $7)`;

export const IS_TASK = `coalesce(e.reference LIKE 'task:%', false)`;
const LASTED = `CASE WHEN ${IS_TASK} THEN (extract(epoch FROM e.at - e.started_at) * 1000)::bigint ELSE e.duration_ms END`;
/** By what they cost ($8 to $9) and took ($10 to $11), too. */
export const FOUND_ENTRIES = `${LISTED_ENTRIES} AND ($8::bigint IS NULL OR e.amount_nano >= $8) AND ($9::bigint IS NULL OR e.amount_nano <= $9)
      AND ($10::bigint IS NULL OR ${LASTED} >= $10) AND ($11::bigint IS NULL OR ${LASTED} <= $11)`;

export function weightParams(weights: RequestWeights | null | undefined) {
  const ms = (figure: number | null | undefined): bigint | null =>
    figure === null || figure === undefined ? null : BigInt(figure);
  return [
    weights?.chargedFromNano ?? null,
    weights?.chargedToNano ?? null,
    ms(weights?.durationFromMs),
    ms(weights?.durationToMs),
  ] as const;
}

const ROW = {
  requests: sql.int8,
  answered: sql.int8,
  failed: sql.int8,
  chargedNano: sql.nano,
  inputTokens: sql.int8,
  cachedTokens: sql.int8,
  outputTokens: sql.int8,
  lastedMs: sql.nullable(sql.int8),
  firstMs: sql.nullable(sql.int8),
  firsts: sql.nullable(sql.int8),
  counted: sql.int8,
  edges: sql.bool,
};

// Only of days at an edge, of some keys, and of those that are not over are the hours read. An hour is an edge where one of its sums has ids of both sides of a bound: a request that arrived
// before midnight and ended after it. OFFSET keeps the look at each edge by itself, by the key of
// entries: joined with the hours, it might read all of them.
const BETWEEN = statement({
  text: `
  WITH days AS MATERIALIZED (
    SELECT day, $2::uuid[] IS NULL AND bool_and(first_id >= $6 AND last_id < $5) AS whole, ${SUMS}
    FROM usage.account_daily
    WHERE account_id = $1 AND day >= ((ledger.time_of($6) - interval '61 minutes') AT TIME ZONE 'Europe/Moscow')::date AND model <> ''
      AND ($3::text IS NULL OR model = $3) AND ($4::text IS NULL OR state = $4) AND ($7::text IS NULL OR kind = $7) AND first_id < $5 AND last_id >= $6
    GROUP BY day),
  times AS MATERIALIZED (
    SELECT day::timestamp AT TIME ZONE 'Europe/Moscow' AS begins, (day + 1)::timestamp AT TIME ZONE 'Europe/Moscow' AS ends FROM days WHERE NOT whole
    UNION ALL
    SELECT greatest((t.day + 1)::timestamp AT TIME ZONE 'Europe/Moscow', ledger.time_of($6) - interval '61 minutes'), 'infinity'
    FROM usage.account_daily_through t),
  hours AS MATERIALIZED (
    SELECT hour, bool_and(first_id >= $6 AND last_id < $5) AS whole, min(first_id::text COLLATE "C")::uuid AS first_id,
      max(last_id::text COLLATE "C")::uuid AS last_id, ${SUMS}
    FROM times CROSS JOIN LATERAL (
      SELECT * FROM usage.hourly
      WHERE account_id = $1 AND hour >= begins AND hour < ends AND model <> '' AND ($2::uuid[] IS NULL OR key_id = ANY ($2))
        AND ($3::text IS NULL OR model = $3) AND ($4::text IS NULL OR state = $4) AND ($7::text IS NULL OR kind = $7)
        AND first_id < $5 AND last_id >= $6
      OFFSET 0) h
    GROUP BY hour),
  counted AS MATERIALIZED (
    SELECT x.* FROM hours h CROSS JOIN LATERAL (
      SELECT e.amount_nano, e.state, e.input_tokens, e.cached_tokens, e.output_tokens, e.duration_ms, e.first_ms, ${KIND} AS kind
      FROM ledger.entries e
      WHERE ${LISTED_ENTRIES} AND e.entry_id BETWEEN h.first_id AND h.last_id AND e.entry_id >= $6 AND e.entry_id < $5
        AND e.at >= h.hour AND e.at < h.hour + interval '1 hour'
      OFFSET 0) x
    WHERE NOT h.whole LIMIT $8),
  summed AS (
    SELECT ended, answered, failed, charged, input, cached, output, lasted, first, firsts FROM days WHERE whole
    UNION ALL
    SELECT ended, answered, failed, charged, input, cached, output, lasted, first, firsts FROM hours WHERE whole
    UNION ALL
    SELECT count(*), count(*) FILTER (WHERE kind <> 'task'), count(*) FILTER (WHERE state = 'failed'), sum(amount_nano), sum(input_tokens),
      sum(cached_tokens), sum(output_tokens), sum(duration_ms) FILTER (WHERE kind <> 'task'), sum(first_ms), count(first_ms)
    FROM counted)
  SELECT coalesce(sum(ended), 0)::bigint AS requests, coalesce(sum(answered), 0)::bigint AS answered, coalesce(sum(failed), 0)::bigint AS failed,
    coalesce(sum(charged), 0)::bigint AS "chargedNano", coalesce(sum(input), 0)::bigint AS "inputTokens",
    coalesce(sum(cached), 0)::bigint AS "cachedTokens", coalesce(sum(output), 0)::bigint AS "outputTokens",
    coalesce(sum(lasted), 0)::bigint AS "lastedMs", coalesce(sum(first), 0)::bigint AS "firstMs", coalesce(sum(firsts), 0)::bigint AS firsts,
    (SELECT count(*) FROM counted) AS counted, EXISTS (SELECT FROM hours WHERE NOT whole) AS edges
  FROM summed`,
  parameters: [
    sql.uuid,
    sql.nullable(sql.array(sql.uuid)),
    sql.nullable(sql.text),
    sql.nullable(sql.text),
    sql.uuid,
    sql.uuid,
    sql.nullable(sql.text),
    sql.whole,
  ],
  row: ROW,
});

const EVER_SUMS = `
  SELECT coalesce(sum(ended), 0)::bigint AS requests, coalesce(sum(answered), 0)::bigint AS answered, coalesce(sum(failed), 0)::bigint AS failed,
    coalesce(sum(charged), 0)::bigint AS "chargedNano", coalesce(sum(input), 0)::bigint AS "inputTokens",
    coalesce(sum(cached), 0)::bigint AS "cachedTokens", coalesce(sum(output), 0)::bigint AS "outputTokens",
    coalesce(sum(lasted), 0)::bigint AS "lastedMs", coalesce(sum(first), 0)::bigint AS "firstMs", coalesce(sum(firsts), 0)::bigint AS firsts,
    0::bigint AS counted, false AS edges`;
const EVER_PARAMETERS = [
  sql.uuid,
  sql.nullable(sql.text),
  sql.nullable(sql.text),
  sql.nullable(sql.text),
] as const;
const OF_EVER = `account_id = $1 AND model <> '' AND ($2::text IS NULL OR model = $2) AND ($3::text IS NULL OR state = $3) AND ($4::text IS NULL OR kind = $4)`;
const EVER_OVER_KEYS = statement({
  text: `${EVER_SUMS}
  FROM (SELECT ${SUMS} FROM usage.account_days WHERE ${OF_EVER}) summed`,
  parameters: EVER_PARAMETERS,
  row: ROW,
});

// Sums of days by key do not say what state the requests ended in.
const EVER_OF_STATE = statement({
  text: `${EVER_SUMS}
  FROM (SELECT ${SUMS} FROM usage.hourly WHERE ${OF_EVER} AND key_id = ANY ($5)) summed`,
  parameters: [...EVER_PARAMETERS, sql.array(sql.uuid)],
  row: ROW,
});

const EVER = statement({
  text: `
  SELECT coalesce(sum(ended), 0)::bigint AS requests, coalesce(sum(ended) FILTER (WHERE kind <> 'task'), 0)::bigint AS answered,
    coalesce(sum(failed), 0)::bigint AS failed, coalesce(sum(charged_nano), 0)::bigint AS "chargedNano",
    coalesce(sum(input_tokens), 0)::bigint AS "inputTokens", coalesce(sum(cached_tokens), 0)::bigint AS "cachedTokens",
    coalesce(sum(output_tokens), 0)::bigint AS "outputTokens", NULL::bigint AS "lastedMs", NULL::bigint AS "firstMs", NULL::bigint AS firsts,
    0::bigint AS counted, false AS edges
  FROM usage.days
  WHERE account_id = $1 AND model <> '' AND key_id = ANY ($2) AND ($3::text IS NULL OR model = $3) AND ($4::text IS NULL OR kind = $4)`,
  parameters: [sql.uuid, sql.array(sql.uuid), sql.nullable(sql.text), sql.nullable(sql.text)],
  row: ROW,
});

/** Entries at the edges are looked at up to `most`. */
export async function sumRequests(
  q: Queryable,
  search: TotalsSearch,
  most: number,
): Promise<FoundTotals> {
  const { accountId, keyIds, model, state, kind, cursor, floor } = search;
  const ever = cursor === null && floor === null;
  const [found] = ever
    ? await sumEver(q, search)
    : await q.run(BETWEEN, [
        accountId,
        keyIds,
        model,
        state,
        cursor ?? GREATEST_ID,
        floor ?? LEAST_ID,
        kind,
        most,
      ]);
  if (found === undefined) throw new Error("an aggregate has one row");
  return found;
}

async function sumEver(
  q: Queryable,
  { accountId, keyIds, model, state, kind }: TotalsSearch,
): Promise<FoundTotals[]> {
  if (keyIds === null) return q.run(EVER_OVER_KEYS, [accountId, model, state, kind]);
  return state === null
    ? q.run(EVER, [accountId, keyIds, model, kind])
    : q.run(EVER_OF_STATE, [accountId, model, state, kind, keyIds]);
}
