/** What chat requests used and paid, by what their price depends on: of the newest of a time. */
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";
import type { ChatUse } from "../../contract/price/chat-tariff.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { Nano } from "../../kernel/money.ts";
import type { TokenUsage } from "../../kernel/token-usage.ts";
import { readChargedParts } from "../../serving/money/charged-parts.ts";
import { storedUsage } from "../requests/stored-usage.ts";

export interface ModelUse {
  readonly model: string;
  /** That served it. */
  readonly upstream: string | null;
  /** How many of its model's thresholds its prompt was above. */
  readonly step: number;
  /** Of every single one of them. */
  readonly use: ChatUse | null;
  readonly requests: bigint;
  readonly chargedNano: Nano;
  /** Of all of them together. */
  readonly usage: TokenUsage;
}

export interface UseSearch {
  readonly start: Uuid;
  /** Only so many are read. */
  readonly newest: number;
  /** Counts of prompt tokens, lowest first, by model. */
  readonly thresholds: Readonly<Record<string, readonly number[]>>;
}

const COUNTS = [
  "inputTokens",
  "cachedInputTokens",
  "cacheWrite5mTokens",
  "cacheWrite1hTokens",
  "outputTokens",
  "reasoningTokens",
  "images",
];
const MEDIA = ["audioInput", "imageInput", "audioOutput", "imageOutput"];

function columns(names: readonly string[]): string {
  return names.map((name) => `"${name}" bigint`).join(", ");
}

function sums(of: string, names: readonly string[]): string {
  return names.map((name) => `'${name}', coalesce(sum(${of}."${name}"), 0)`).join(", ");
}

const COUNT_COLUMNS = columns(COUNTS);
const MEDIA_COLUMNS = columns(MEDIA);
const COUNT_SUMS = sums("u", COUNTS);
const MEDIA_SUMS = sums("m", MEDIA);

// Each JSON is taken apart once, which is most of the work.
const USE = statement({
  text: `
  SELECT r.model, r.upstream, r.step, d.use, count(*) AS requests, sum(r.charged_nano)::bigint AS "chargedNano",
    json_build_object(${COUNT_SUMS}, 'media', json_build_object(${MEDIA_SUMS})) AS usage
  FROM (
    SELECT n.model, n.upstream, n.charged_nano, n.detail,
      width_bucket(coalesce(n.input_tokens, 0), ARRAY(SELECT value::bigint + 1 FROM jsonb_array_elements_text($3::jsonb -> n.model))) AS step
    FROM (SELECT * FROM usage.requests WHERE request_id >= $1 ORDER BY request_id DESC LIMIT $2) n
    WHERE n.charged_nano > 0 AND usage.kind_of(n.endpoint) = 'chat') r
  CROSS JOIN LATERAL json_to_record(r.detail) AS d (use text, usage json)
  LEFT JOIN LATERAL json_to_record(CASE json_typeof(d.usage) WHEN 'object' THEN d.usage END) AS u (${COUNT_COLUMNS}, media json) ON true
  LEFT JOIN LATERAL json_to_record(CASE json_typeof(u.media) WHEN 'object' THEN u.media END) AS m (${MEDIA_COLUMNS}) ON true
  GROUP BY r.model, r.upstream, r.step, d.use`,
  parameters: [sql.uuid, sql.whole, sql.jsonb],
  row: {
    model: sql.present(sql.text),
    upstream: sql.nullable(sql.text),
    step: sql.int4,
    use: sql.nullable(sql.text),
    requests: sql.int8,
    chargedNano: sql.nano,
    usage: sql.json,
  },
});

/** Only what was charged counts: requests that failed would cost nothing under other prices too. */
export async function useByModel(
  q: Queryable,
  { start, newest, thresholds }: UseSearch,
): Promise<ModelUse[]> {
  const rows = await q.run(USE, [start, newest, JSON.stringify(thresholds)]);
  return rows.flatMap((row) => {
    const usage = storedUsage(row.usage);
    if (usage === null) return [];
    return [
      {
        ...row,
        usage: withoutNoMedia(usage),
        use: row.use === null ? null : (readChargedParts({ use: JSON.parse(row.use) }).use ?? null),
      },
    ];
  });
}

function withoutNoMedia({ media, ...usage }: TokenUsage): TokenUsage {
  return media === undefined || Object.values(media).every((tokens) => tokens === 0)
    ? usage
    : { ...usage, media };
}

const BEYOND = statement({
  text: "SELECT true AS found FROM usage.requests WHERE request_id >= $1 OFFSET $2 LIMIT 1",
  parameters: [sql.uuid, sql.whole],
  row: { found: sql.bool },
});

/** Whether there are more receipts than so many from this id on. */
export async function hasMoreThan(q: Queryable, start: Uuid, count: number): Promise<boolean> {
  return (await q.run(BEYOND, [start, count])).length > 0;
}
