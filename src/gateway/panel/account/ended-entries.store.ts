/** What entries of the ledger were for: the part that the folded sums and the sums of a page have in common. */

/**
 * Rows of the entries of `part` that ended something; `part` is a relation with the columns of ledger.entries. Each one's receipt is looked up
 * by itself: a join would be planned by a guess at how many there are, and read all receipts for a handful of entries. Token counts that are
 * absurd must not stop the sums by their size. OFFSET 0: the receipt is taken apart once, not wherever a part of it is named.
 */
export const ENDED_ENTRIES = `
  SELECT e.account_id, (e.at AT TIME ZONE 'Europe/Moscow')::date AS day, e.budget_id AS key_id,
    coalesce(r.model, t.model, '') AS model, CASE WHEN e.reference LIKE 'task:%' THEN 'task' ELSE 'chat' END AS kind,
    e.amount_nano AS charged_nano, 1 AS ended, coalesce(r.failed, t.failed, 0) AS failed,
    coalesce(r.input_tokens, 0) AS input_tokens, coalesce(r.cached_tokens, 0) AS cached_tokens, coalesce(r.output_tokens, 0) AS output_tokens
  FROM part e
  LEFT JOIN LATERAL (
    SELECT q.model, (q.state = 'failed')::int AS failed,
      least(coalesce(u."inputTokens", 0) + coalesce(u."cachedInputTokens", 0) + coalesce(u."cacheWrite5mTokens", 0) + coalesce(u."cacheWrite1hTokens", 0), 1000000000000)::bigint AS input_tokens,
      least(coalesce(u."cachedInputTokens", 0), 1000000000000)::bigint AS cached_tokens,
      least(coalesce(u."outputTokens", 0), 1000000000000)::bigint AS output_tokens
    FROM usage.requests q CROSS JOIN LATERAL (SELECT q.detail->'usage' AS counts OFFSET 0) d
      LEFT JOIN LATERAL json_to_record(CASE WHEN json_typeof(d.counts) = 'object' THEN d.counts END)
      AS u ("inputTokens" numeric, "cachedInputTokens" numeric, "cacheWrite5mTokens" numeric, "cacheWrite1hTokens" numeric, "outputTokens" numeric) ON true
    WHERE q.request_id = e.entry_id LIMIT 1) r ON true
  LEFT JOIN LATERAL (
    SELECT k.model, (k.state = 'failed')::int AS failed FROM tasks.tasks k WHERE k.task_id = e.entry_id AND e.reference LIKE 'task:%' LIMIT 1) t ON true
  WHERE e.kind IN ('charge', 'release')`;
