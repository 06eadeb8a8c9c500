/**
 * How calls of upstreams went, by the attempts on receipts and by tasks: counts, latencies, and
 * what the failed ones failed with.
 */
import { REQUEST_KINDS, type RequestKind } from "../../contract/enums/request-kind.ts";
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";
import type { Uuid } from "../../kernel/ids.ts";

export interface CallFigures {
  readonly upstream: string;
  /** Null: of all its models together. */
  readonly upstreamModel: string | null;
  readonly kind: RequestKind;
  readonly served: bigint;
  readonly failed: bigint;
  readonly skipped: bigint;
  /** p50 and p95 in ms; null: nothing to measure. */
  readonly latency: readonly number[] | null;
  readonly firstContent: readonly number[] | null;
}

const PERCENTILES = "percentile_cont(ARRAY[0.5, 0.95]) WITHIN GROUP";

// Each JSON is taken apart once.
const TRIES = `
  SELECT a.upstream, a.model, a.outcome, a.status::integer AS status, a.reason, a.coded, a.ms, q.first_ms::float8 AS first_ms, q.endpoint,
    q.request_id, q.account_id, q.served_by
  FROM (SELECT detail, detail_text, first_ms, endpoint, request_id, account_id, upstream AS served_by FROM usage.requests
    WHERE request_id >= $1 ORDER BY request_id DESC LIMIT $2) q
  CROSS JOIN LATERAL json_to_record(q.detail) AS d (attempts json)
  CROSS JOIN LATERAL json_to_recordset(CASE json_typeof(d.attempts) WHEN 'array' THEN d.attempts ELSE '[]' END)
    AS a (upstream text, model text, outcome text, status numeric, reason text, coded json, ms float8)`;
// The text is searched before it is taken apart, which takes many times as long.
const FAILED_TRIES = `${TRIES} WHERE strpos(q.detail_text, '"failed"') > 0 AND a.outcome = 'failed'`;

const FIGURES_ROW = {
  upstream: sql.text,
  upstreamModel: sql.nullable(sql.text),
  kind: sql.oneOf(REQUEST_KINDS),
  served: sql.int8,
  failed: sql.int8,
  skipped: sql.int8,
  latency: sql.nullable(sql.array(sql.float8)),
  firstContent: sql.nullable(sql.array(sql.float8)),
};

const CHAT = statement({
  text: `
  SELECT upstream, model AS "upstreamModel", min(usage.kind_of(endpoint)) AS kind, count(*) FILTER (WHERE outcome = 'served') AS served,
    count(*) FILTER (WHERE outcome = 'failed') AS failed, count(*) FILTER (WHERE outcome = 'skipped') AS skipped,
    ${PERCENTILES} (ORDER BY ms) FILTER (WHERE outcome = 'served') AS latency,
    ${PERCENTILES} (ORDER BY first_ms) FILTER (WHERE outcome = 'served' AND first_ms IS NOT NULL) AS "firstContent"
  FROM (${TRIES}) t WHERE upstream IS NOT NULL AND model IS NOT NULL GROUP BY GROUPING SETS ((upstream, model), (upstream))`,
  parameters: [sql.uuid, sql.whole],
  row: FIGURES_ROW,
});

/** Of the newest requests from an id on, by upstream and its model. */
export async function chatFigures(
  q: Queryable,
  start: Uuid,
  newest: number,
): Promise<CallFigures[]> {
  return q.run(CHAT, [start, newest]);
}

// Tasks live for hours: those that ended in the window are looked for among the newest, from before
// its beginning on.
const TASKS = statement({
  text: `
  SELECT upstream, upstream_model AS "upstreamModel", 'task' AS kind, count(*) FILTER (WHERE state = 'completed') AS served,
    count(*) FILTER (WHERE state = 'failed') AS failed, 0::bigint AS skipped,
    ${PERCENTILES} (ORDER BY extract(epoch FROM completed_at - started_at)::float8 * 1000) FILTER (WHERE state = 'completed') AS latency,
    NULL::float8[] AS "firstContent"
  FROM (SELECT * FROM tasks.tasks WHERE task_id >= $1 ORDER BY task_id DESC LIMIT $2) t
  WHERE upstream IS NOT NULL AND upstream_model IS NOT NULL AND completed_at >= $3 AND coalesce(error_code, '') <> 'canceled'
  GROUP BY GROUPING SETS ((upstream, upstream_model), (upstream))`,
  parameters: [sql.uuid, sql.whole, sql.timestamptz],
  row: { ...FIGURES_ROW, upstream: sql.present(sql.text) },
});

export async function taskFigures(
  q: Queryable,
  search: { readonly start: Uuid; readonly newest: number; readonly from: Date },
): Promise<CallFigures[]> {
  return q.run(TASKS, [search.start, search.newest, search.from]);
}

export const LONGEST_REASON = 120;

export interface CallError {
  readonly upstream: string;
  readonly upstreamModel: string;
  readonly status: number | null;
  readonly reason: string;
  /** Of one of them, as it was kept; null: from before there were codes. */
  readonly coded: unknown;
  readonly count: bigint;
}

const ERROR_ROW = {
  upstream: sql.text,
  upstreamModel: sql.text,
  status: sql.nullable(sql.int4),
  reason: sql.text,
  coded: sql.nullable(sql.json),
  count: sql.int8,
};

const ERRORS = statement({
  text: `
  SELECT upstream, model AS "upstreamModel", status, left(coalesce(reason, ''), ${LONGEST_REASON}) AS reason, (array_agg(coded))[1] AS coded, count(*) AS count
  FROM (${FAILED_TRIES}) t WHERE upstream IS NOT NULL GROUP BY 1, 2, 3, 4 ORDER BY count DESC LIMIT 300`,
  parameters: [sql.uuid, sql.whole],
  row: ERROR_ROW,
});

const TASK_ERRORS = statement({
  text: `
  SELECT upstream, coalesce(upstream_model, '') AS "upstreamModel", NULL::integer AS status, error_code AS reason, NULL::json AS coded, count(*) AS count
  FROM (SELECT * FROM tasks.tasks WHERE task_id >= $1 ORDER BY task_id DESC LIMIT $2) t
  WHERE upstream IS NOT NULL AND completed_at >= $3 AND state = 'failed' AND error_code <> 'canceled' GROUP BY 1, 2, 4 ORDER BY count DESC LIMIT 100`,
  parameters: [sql.uuid, sql.whole, sql.timestamptz],
  row: { ...ERROR_ROW, upstream: sql.present(sql.text), reason: sql.present(sql.text) },
});

/** Most frequent first. */
export async function chatErrors(q: Queryable, start: Uuid, newest: number): Promise<CallError[]> {
  return q.run(ERRORS, [start, newest]);
}

export async function taskErrors(
  q: Queryable,
  search: { readonly start: Uuid; readonly newest: number; readonly from: Date },
): Promise<CallError[]> {
  return q.run(TASK_ERRORS, [search.start, search.newest, search.from]);
}

export interface CallPart {
  readonly upstream: string;
  readonly at: Date;
  readonly calls: bigint;
  readonly failed: bigint;
}

const PARTS = statement({
  text: `
  SELECT upstream, date_bin($3 * interval '1 millisecond', ledger.time_of(request_id), $4) AS at,
    count(*) FILTER (WHERE outcome IN ('served', 'failed')) AS calls, count(*) FILTER (WHERE outcome = 'failed') AS failed
  FROM (${TRIES}) t WHERE upstream IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2`,
  parameters: [sql.uuid, sql.whole, sql.float8, sql.timestamptz],
  row: { upstream: sql.text, at: sql.timestamptz, calls: sql.int8, failed: sql.int8 },
});

/** How the calls of each upstream went in equal parts of the time, by when their requests came. */
export async function chatParts(
  q: Queryable,
  search: {
    readonly start: Uuid;
    readonly newest: number;
    readonly partMs: number;
    readonly from: Date;
  },
): Promise<CallPart[]> {
  return q.run(PARTS, [search.start, search.newest, search.partMs, search.from]);
}

export interface FailedCall {
  readonly requestId: Uuid;
  readonly accountId: Uuid;
  readonly upstreamModel: string;
  readonly status: number | null;
  readonly reason: string;
  readonly coded: unknown;
  readonly ms: number | null;
  readonly servedBy: string | null;
}

const LAST_FAILED = statement({
  text: `
  SELECT request_id AS "requestId", account_id AS "accountId", model AS "upstreamModel", status, left(coalesce(reason, ''), ${LONGEST_REASON}) AS reason, coded, ms,
    served_by AS "servedBy"
  FROM (${FAILED_TRIES}) t
  WHERE model IS NOT NULL AND upstream = $3 AND ($4::text IS NULL OR model = $4) ORDER BY request_id DESC LIMIT $5`,
  parameters: [sql.uuid, sql.whole, sql.text, sql.nullable(sql.text), sql.whole],
  row: {
    requestId: sql.present(sql.uuid),
    accountId: sql.present(sql.uuid),
    upstreamModel: sql.text,
    status: sql.nullable(sql.int4),
    reason: sql.text,
    coded: sql.nullable(sql.json),
    ms: sql.nullable(sql.float8),
    servedBy: sql.nullable(sql.text),
  },
});

/** Newest first, of the newest requests from an id on. */
export async function lastFailedCalls(
  q: Queryable,
  search: {
    readonly start: Uuid;
    readonly newest: number;
    readonly upstream: string;
    /** Null: of any. */
    readonly upstreamModel: string | null;
    readonly limit: number;
  },
): Promise<FailedCall[]> {
  const { start, newest, upstream, upstreamModel, limit } = search;
  return q.run(LAST_FAILED, [start, newest, upstream, upstreamModel, limit]);
}
