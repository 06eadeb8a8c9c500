/** What chat requests used and paid, by model: of the newest of a time. */
import type { Queryable } from "../../db/database.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { Nano } from "../../kernel/money.ts";
import type { TokenUsage } from "../../kernel/token-usage.ts";

export interface ModelUse {
  readonly model: string;
  readonly requests: bigint;
  readonly chargedNano: Nano;
  readonly usage: TokenUsage;
}

const USE = `
  SELECT q.model, count(*) AS requests, sum(q.charged_nano)::bigint AS "chargedNano", json_build_object(
    'inputTokens', coalesce(sum(u."inputTokens"), 0), 'cachedInputTokens', coalesce(sum(u."cachedInputTokens"), 0),
    'cacheWrite5mTokens', coalesce(sum(u."cacheWrite5mTokens"), 0), 'cacheWrite1hTokens', coalesce(sum(u."cacheWrite1hTokens"), 0),
    'outputTokens', coalesce(sum(u."outputTokens"), 0), 'reasoningTokens', coalesce(sum(u."reasoningTokens"), 0),
    'images', coalesce(sum(u.images), 0)) AS usage
  FROM (SELECT model, charged_nano, detail FROM usage.requests WHERE request_id >= $1 ORDER BY request_id DESC LIMIT $2) q
  LEFT JOIN LATERAL json_to_record(CASE json_typeof(q.detail -> 'usage') WHEN 'object' THEN q.detail -> 'usage' END) AS u ("inputTokens" bigint,
    "cachedInputTokens" bigint, "cacheWrite5mTokens" bigint, "cacheWrite1hTokens" bigint, "outputTokens" bigint, "reasoningTokens" bigint, images bigint) ON true
  WHERE q.charged_nano > 0 GROUP BY q.model ORDER BY 3 DESC`;

/** Only what was charged counts: requests that failed would cost nothing under other prices too. */
export async function useByModel(q: Pick<Queryable, "query">, start: Uuid, newest: number): Promise<ModelUse[]> {
  return q.query<ModelUse>(USE, [start, newest]);
}

/** Whether there are more receipts than so many from this id on. */
export async function hasMoreThan(q: Pick<Queryable, "query">, start: Uuid, count: number): Promise<boolean> {
  const rows = await q.query("SELECT true FROM usage.requests WHERE request_id >= $1 ORDER BY request_id OFFSET $2 LIMIT 1", [
    start,
    count,
  ]);
  return rows.length > 0;
}
