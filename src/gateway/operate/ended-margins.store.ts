/** What entries of the ledger earned: the part that sums of whole days, the counted ones and those of what is not counted yet have in common. */

/**
 * A row of each entry of `part` that ended something; `part` is a relation with the columns of ledger.entries. Each one's receipt is looked up
 * by itself: a join would be planned by a guess at how many there are. Its JSON is taken apart once.
 */
export const ENDED_MARGINS = `
  SELECT e.account_id, (e.at AT TIME ZONE 'Europe/Moscow')::date AS day, coalesce(r.model, t.model, '') AS model,
    coalesce(r.upstream, t.upstream, '') AS upstream, e.amount_nano AS charged_nano, coalesce(r.cost, t.cost) AS cost_nano,
    coalesce(r.cost, t.cost) IS NULL AND (e.amount_nano > 0 OR r.upstream IS NOT NULL) AS unknown, coalesce(r.loss, 0) AS loss_nano
  FROM part e
  LEFT JOIN LATERAL (
    SELECT q.model, d."upstreamCostNano" AS cost, d."lossNano" AS loss,
      (SELECT a ->> 'upstream' FROM json_array_elements(CASE json_typeof(d.attempts) WHEN 'array' THEN d.attempts ELSE '[]' END) a
       WHERE a ->> 'outcome' = 'served' LIMIT 1) AS upstream
    FROM usage.requests q CROSS JOIN LATERAL json_to_record(q.detail) AS d (attempts json, "upstreamCostNano" numeric, "lossNano" numeric)
    WHERE q.request_id = e.entry_id LIMIT 1) r ON true
  LEFT JOIN LATERAL (
    SELECT k.model, k.upstream, CASE k.state WHEN 'completed' THEN k.upstream_cost_nano END AS cost
    FROM tasks.tasks k WHERE k.task_id = e.entry_id AND e.reference LIKE 'task:%' LIMIT 1) t ON true
  WHERE e.kind IN ('charge', 'release')`;

/** Of such rows, after whatever they are grouped by. */
export const MARGIN_SUMS = `count(*) AS requests, sum(charged_nano)::bigint AS charged_nano, sum(cost_nano)::bigint AS cost_nano,
  count(*) FILTER (WHERE unknown) AS unknown_requests, coalesce(sum(charged_nano) FILTER (WHERE unknown), 0)::bigint AS unknown_charged_nano,
  sum(loss_nano)::bigint AS loss_nano`;
