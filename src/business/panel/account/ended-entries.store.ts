/**
 * What entries of the ledger were for and what they earned: the part that folded sums, sums of
 * whole days and those of a page have in common.
 */
import { MOST_NANO, MOST_TOKENS } from "../../../usage/receipt-figures.ts";

/**
 * A row of each entry of `part` that ended something; `part` is a relation with the columns of
 * ledger.entries. Each one's receipt is looked up by itself: a join would be planned by a guess at
 * how many there are, and read all receipts for a handful of entries. Only where it has no figures
 * (a process of an older version wrote it) its JSON is taken apart, once.
 */
export const ENDED_ENTRIES = `
  SELECT e.account_id, (e.at AT TIME ZONE 'Europe/Moscow')::date AS day, e.budget_id AS key_id,
    coalesce(r.model, t.model, '') AS model, CASE WHEN e.reference LIKE 'task:%' THEN 'task' ELSE 'chat' END AS kind,
    e.amount_nano AS charged_nano, 1 AS ended, coalesce(r.failed, t.failed, 0) AS failed,
    coalesce(r.input_tokens, 0) AS input_tokens, coalesce(r.cached_tokens, 0) AS cached_tokens, coalesce(r.output_tokens, 0) AS output_tokens,
    coalesce(r.upstream, t.upstream, '') AS upstream, coalesce(r.cost, t.cost) AS cost_nano,
    coalesce(r.cost, t.cost) IS NULL AND (e.amount_nano > 0 OR r.upstream IS NOT NULL) AS unknown, coalesce(r.loss, 0) AS loss_nano
  FROM part e
  LEFT JOIN LATERAL (
    SELECT q.model, (q.state = 'failed')::int AS failed, q.input_tokens, q.cached_tokens, q.output_tokens,
      q.cost_nano::numeric AS cost, q.loss_nano::numeric AS loss, q.upstream
    FROM usage.requests q WHERE q.request_id = e.entry_id AND q.loss_nano IS NOT NULL
    UNION ALL
    SELECT q.model, (q.state = 'failed')::int AS failed,
      least(coalesce(u."inputTokens", 0) + coalesce(u."cachedInputTokens", 0) + coalesce(u."cacheWrite5mTokens", 0) + coalesce(u."cacheWrite1hTokens", 0)
        + coalesce(m."audioInput", 0) + coalesce(m."imageInput", 0), ${MOST_TOKENS})::bigint AS input_tokens,
      least(coalesce(u."cachedInputTokens", 0), ${MOST_TOKENS})::bigint AS cached_tokens,
      least(coalesce(u."outputTokens", 0), ${MOST_TOKENS})::bigint AS output_tokens,
      CASE WHEN d."upstreamCostNano" > ${MOST_NANO} THEN ${MOST_NANO} ELSE d."upstreamCostNano" END AS cost,
      CASE WHEN d."lossNano" > ${MOST_NANO} THEN ${MOST_NANO} ELSE d."lossNano" END AS loss,
      (SELECT a ->> 'upstream' FROM json_array_elements(CASE json_typeof(d.attempts) WHEN 'array' THEN d.attempts ELSE '[]' END) a
       WHERE a ->> 'outcome' = 'served' LIMIT 1) AS upstream
    FROM usage.requests q
      CROSS JOIN LATERAL json_to_record(q.detail) AS d (usage json, attempts json, "upstreamCostNano" numeric, "lossNano" numeric)
      LEFT JOIN LATERAL json_to_record(CASE WHEN json_typeof(d.usage) = 'object' THEN d.usage END)
      AS u ("inputTokens" numeric, "cachedInputTokens" numeric, "cacheWrite5mTokens" numeric, "cacheWrite1hTokens" numeric, "outputTokens" numeric, media json) ON true
      LEFT JOIN LATERAL json_to_record(CASE WHEN json_typeof(u.media) = 'object' THEN u.media END) AS m ("audioInput" numeric, "imageInput" numeric) ON true
    WHERE q.request_id = e.entry_id AND q.loss_nano IS NULL LIMIT 1) r ON true
  LEFT JOIN LATERAL (
    SELECT k.model, (k.state = 'failed')::int AS failed, k.upstream, CASE k.state WHEN 'completed' THEN k.upstream_cost_nano END AS cost
    FROM tasks.tasks k WHERE k.task_id = e.entry_id AND e.reference LIKE 'task:%' LIMIT 1) t ON true
  WHERE e.kind IN ('charge', 'release')`;

/** What such rows earned, after whatever they are grouped by. */
export const MARGIN_SUMS = `count(*) AS requests, sum(charged_nano)::bigint AS charged_nano, sum(cost_nano)::bigint AS cost_nano,
  count(*) FILTER (WHERE unknown) AS unknown_requests, coalesce(sum(charged_nano) FILTER (WHERE unknown), 0)::bigint AS unknown_charged_nano,
  sum(loss_nano)::bigint AS loss_nano`;
