/**
 * Requests and tasks that cost or took so much: no index is in these, so the hours that have any of
 * the other filters are looked through entry by entry, the newest first, a stretch after the other,
 * and no answer outlasts its reader. The keys of `usage.hourly` (account, hour …) and of
 * `ledger.entries` (account, id) serve it; hours that come to less than is asked for are passed over.
 */
import { uuidArray } from "../../../db/array-params.ts";
import type { Queryable } from "../../../db/database.ts";
import { sql } from "../../../db/sql-type.ts";
import { statement } from "../../../db/statement.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import type { Nano } from "../../../kernel/money.ts";
import {
  GREATEST_ID,
  joinSpans,
  LEAST_ID,
  nextSpans,
  type IdSpan,
} from "../../../usage/id-spans.ts";
import {
  FOUND_ENTRIES,
  IS_TASK,
  weightParams,
  type FoundTotals,
  type TotalsSearch,
} from "./request-totals.store.ts";

export interface LookThrough {
  /** Entries that are looked through at a time, about. */
  readonly stretch: number;
  /** When it is enough for one answer. */
  readonly enoughMs: number;
}

const LOOK_THROUGH: LookThrough = { stretch: 20_000, enoughMs: 2_000 };

const FILTERS = [
  sql.uuid,
  sql.nullable(sql.array(sql.uuid)),
  sql.nullable(sql.text),
  sql.nullable(sql.text),
  sql.uuid,
  sql.uuid,
  sql.nullable(sql.text),
] as const;
const WEIGHTS = [
  sql.nullable(sql.int8),
  sql.nullable(sql.int8),
  sql.nullable(sql.int8),
  sql.nullable(sql.int8),
] as const;

// No entry is dearer, and no answer took longer, than all of its hour together. Tasks are not timed
// in sums. What was booked in an earlier hour has an id of before this one's, give or take the clocks
// of processes and database.
const HOURS = statement({
  text: `
  SELECT hour, ledger.first_id(hour + interval '1 minute') AS "beginId", sum(ended)::bigint AS count,
    min(first_id::text COLLATE "C")::uuid AS "firstId", max(last_id::text COLLATE "C")::uuid AS "lastId"
  FROM usage.hourly
  WHERE account_id = $1 AND model <> '' AND ($2::uuid[] IS NULL OR key_id = ANY ($2)) AND ($3::text IS NULL OR model = $3)
    AND ($4::text IS NULL OR state = $4) AND first_id < $5 AND last_id >= $6 AND ($7::text IS NULL OR kind = $7)
    AND ($8::bigint IS NULL OR charged_nano >= $8) AND ($9::bigint IS NULL OR kind = 'task' OR duration_ms >= $9)
    AND hour < coalesce($10::timestamptz, 'infinity')
  GROUP BY hour ORDER BY hour DESC LIMIT $11`,
  parameters: [
    ...FILTERS,
    sql.nullable(sql.int8),
    sql.nullable(sql.int8),
    sql.nullable(sql.timestamptz),
    sql.whole,
  ],
  row: {
    hour: sql.timestamptz,
    beginId: sql.present(sql.uuid),
    count: sql.present(sql.int8),
    firstId: sql.present(sql.uuid),
    lastId: sql.present(sql.uuid),
  },
});

const WITHIN = `unnest($12::uuid[], $13::uuid[]) AS s (first_id, last_id)
  CROSS JOIN LATERAL (`;
const OF_SPAN = `FROM ledger.entries e
    WHERE ${FOUND_ENTRIES} AND e.entry_id BETWEEN s.first_id AND s.last_id AND e.entry_id < $5 AND e.entry_id >= $6`;

const IDS = statement({
  text: `
  SELECT x.* FROM ${WITHIN}
    SELECT e.entry_id AS id, ${IS_TASK} AS "isTask" ${OF_SPAN} ORDER BY e.entry_id DESC LIMIT $14) x
  ORDER BY x.id DESC LIMIT $14`,
  parameters: [...FILTERS, ...WEIGHTS, sql.array(sql.uuid), sql.array(sql.uuid), sql.whole],
  row: { id: sql.uuid, isTask: sql.bool },
});

const SUMS = statement({
  text: `
  SELECT count(*) AS requests, count(*) FILTER (WHERE NOT task) AS answered, count(*) FILTER (WHERE state = 'failed') AS failed,
    coalesce(sum(amount_nano), 0)::bigint AS "chargedNano", coalesce(sum(input_tokens), 0)::bigint AS "inputTokens",
    coalesce(sum(cached_tokens), 0)::bigint AS "cachedTokens", coalesce(sum(output_tokens), 0)::bigint AS "outputTokens",
    coalesce(sum(duration_ms) FILTER (WHERE NOT task), 0)::bigint AS "lastedMs", coalesce(sum(first_ms), 0)::bigint AS "firstMs",
    count(first_ms) AS firsts
  FROM ${WITHIN}
    SELECT e.amount_nano, e.state, e.input_tokens, e.cached_tokens, e.output_tokens, e.duration_ms, e.first_ms, ${IS_TASK} AS task ${OF_SPAN}
    OFFSET 0) x`,
  parameters: [...FILTERS, ...WEIGHTS, sql.array(sql.uuid), sql.array(sql.uuid)],
  row: {
    requests: sql.int8,
    answered: sql.int8,
    failed: sql.int8,
    chargedNano: sql.nano,
    inputTokens: sql.int8,
    cachedTokens: sql.int8,
    outputTokens: sql.int8,
    lastedMs: sql.int8,
    firstMs: sql.int8,
    firsts: sql.int8,
  },
});

export interface WeighedId {
  readonly id: Uuid;
  readonly isTask: boolean;
}

export interface WeighedPage {
  /** Newest first. */
  readonly ids: readonly WeighedId[];
  /** So far back was looked, and no further for now; null: there is no more, or the page is full. */
  readonly lookedBackTo: Uuid | null;
}

/** Of what has ended. A page may be short, even empty, and yet not the last. */
export async function weighedIds(
  q: Queryable,
  search: TotalsSearch & { readonly limit: number },
  through: LookThrough = LOOK_THROUGH,
): Promise<WeighedPage> {
  const ids: WeighedId[] = [];
  const lookedBackTo = await lookThrough(q, search, through, async (params) => {
    ids.push(...(await q.run(IDS, [...params, search.limit - ids.length])));
    return ids.length === search.limit;
  });
  return { ids, lookedBackTo };
}

/** As those of the other totals; entries say all of it. */
export type WeighedSums = {
  readonly [Name in Exclude<keyof FoundTotals, "counted" | "edges">]: NonNullable<
    FoundTotals[Name]
  >;
};

const NOTHING: WeighedSums = {
  requests: 0n,
  answered: 0n,
  failed: 0n,
  chargedNano: 0n as Nano,
  inputTokens: 0n,
  cachedTokens: 0n,
  outputTokens: 0n,
  lastedMs: 0n,
  firstMs: 0n,
  firsts: 0n,
};

/** `whole`: everything was looked through. */
export async function sumWeighed(
  q: Queryable,
  search: TotalsSearch,
  through: LookThrough = LOOK_THROUGH,
): Promise<{ readonly sums: WeighedSums; readonly whole: boolean }> {
  let sums = NOTHING;
  const lookedBackTo = await lookThrough(q, search, through, async (params) => {
    const [more = NOTHING] = await q.run(SUMS, params);
    const add = (name: keyof WeighedSums): bigint => sums[name] + more[name];
    sums = {
      requests: add("requests"),
      answered: add("answered"),
      failed: add("failed"),
      chargedNano: add("chargedNano") as Nano,
      inputTokens: add("inputTokens"),
      cachedTokens: add("cachedTokens"),
      outputTokens: add("outputTokens"),
      lastedMs: add("lastedMs"),
      firstMs: add("firstMs"),
      firsts: add("firsts"),
    };
    return false;
  });
  return { sums, whole: lookedBackTo === null };
}

/** At most so many hours are asked for at a time. */
const MOST_HOURS = 48;

interface Hour extends IdSpan {
  readonly hour: Date;
  /** No earlier hour has any from it on. */
  readonly beginId: Uuid;
}

/**
 * Stretch after stretch, from the newest on, and of each hour only as far down as no earlier one can
 * have any, until `look` has enough or the time is over: then how far it came.
 */
async function lookThrough(
  q: Queryable,
  search: TotalsSearch,
  { stretch, enoughMs }: LookThrough,
  look: (params: ReturnType<typeof paramsOf>) => Promise<boolean>,
): Promise<Uuid | null> {
  const { accountId, keyIds, model, state, kind, weights } = search;
  const [cursor, floor] = [search.cursor ?? GREATEST_ID, search.floor ?? LEAST_ID];
  const filters = [accountId, keyIds, model, state, cursor, floor, kind] as const;
  const [leastCharged, , leastMs] = weightParams(weights);
  const endsAt = performance.now() + enoughMs;
  let before = cursor;
  let spans: IdSpan[] = [];
  let hour: Date | null = null;
  for (let most = 1; ; most = Math.min(2 * most, MOST_HOURS)) {
    const hours: Hour[] = await q.run(HOURS, [...filters, leastCharged, leastMs, hour, most]);
    spans = joinSpans([...spans, ...hours]);
    const last: Hour | undefined = hours.length < most ? undefined : hours.at(-1);
    const downTo = last !== undefined && last.beginId > floor ? last.beginId : floor;
    for (;;) {
      const next = nextSpans(spans, { from: downTo, before }, stretch);
      const lowest = next.at(-1);
      if (lowest === undefined) break;
      if (await look(paramsOf(search, { before, floor, spans: next }))) return null;
      before = lowest.firstId;
      if (performance.now() >= endsAt) return before;
    }
    if (last === undefined) return null;
    if (downTo < before) before = downTo;
    if (before < cursor && performance.now() >= endsAt) return before;
    ({ hour } = last);
  }
}

function paramsOf(
  { accountId, keyIds, model, state, kind, weights }: TotalsSearch,
  {
    before,
    floor,
    spans,
  }: { readonly before: Uuid; readonly floor: Uuid; readonly spans: IdSpan[] },
) {
  return [
    accountId,
    keyIds,
    model,
    state,
    before,
    floor,
    kind,
    ...weightParams(weights),
    uuidArray(spans, ({ firstId }) => firstId),
    uuidArray(spans, ({ lastId }) => lastId),
  ] as const;
}
