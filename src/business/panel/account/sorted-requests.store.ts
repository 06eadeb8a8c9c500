/**
 * The ids of requests and tasks that have ended within a day, the dearest or the longest first. The
 * key of `ledger.entries` (account, id) finds them; no index is in the order itself, so that no
 * request pays for one, and what is sorted is bounded.
 */
import type { RequestOrder } from "../../../contract/enums/request-order.ts";
import type { Queryable } from "../../../db/database.ts";
import { sql } from "../../../db/sql-type.ts";
import { statement } from "../../../db/statement.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import { FOUND_ENTRIES, IS_TASK, weightParams, type TotalsSearch } from "./request-totals.store.ts";

export interface SortedSearch extends TotalsSearch {
  readonly cursor: Uuid;
  readonly floor: Uuid;
  readonly order: Exclude<RequestOrder, "time">;
  /** The last one of the page before; null: the first page. */
  readonly after: SortedPlace | null;
  readonly limit: number;
}

/** Nano-roubles, or milliseconds: -1 where it is not known. */
export interface SortedPlace {
  readonly weight: bigint;
  readonly id: Uuid;
}

export interface SortedId extends SortedPlace {
  readonly isTask: boolean;
  /** How many were sorted. */
  readonly sorted: bigint;
}

const PARAMETERS = [
  sql.uuid,
  sql.nullable(sql.array(sql.uuid)),
  sql.nullable(sql.text),
  sql.nullable(sql.text),
  sql.uuid,
  sql.uuid,
  sql.nullable(sql.text),
  sql.nullable(sql.int8),
  sql.nullable(sql.int8),
  sql.nullable(sql.int8),
  sql.nullable(sql.int8),
  sql.whole,
  sql.nullable(sql.int8),
  sql.nullable(sql.uuid),
  sql.whole,
] as const;
const ROW = { id: sql.uuid, weight: sql.int8, isTask: sql.bool, sorted: sql.int8 };
const OF_DAY = `FROM ledger.entries e WHERE ${FOUND_ENTRIES} AND e.entry_id >= $6 AND e.entry_id < $5 LIMIT $12`;
const PAGE = `id, weight, task AS "isTask", (SELECT count(*) FROM found) AS sorted
  FROM found WHERE $13::bigint IS NULL OR (weight, id) < ($13, $14::uuid)
  ORDER BY weight DESC, id DESC LIMIT $15`;

const BY_CHARGE = statement({
  text: `
  WITH found AS MATERIALIZED (SELECT e.entry_id AS id, e.amount_nano AS weight, ${IS_TASK} AS task ${OF_DAY})
  SELECT ${PAGE}`,
  parameters: PARAMETERS,
  row: ROW,
});

const BY_DURATION = statement({
  text: `
  WITH found AS MATERIALIZED (
    SELECT e.entry_id AS id, coalesce(e.duration_ms, (extract(epoch FROM e.at - e.started_at) * 1000)::bigint, -1)::bigint AS weight,
      ${IS_TASK} AS task ${OF_DAY})
  SELECT ${PAGE}`,
  parameters: PARAMETERS,
  row: ROW,
});

const BY = { charged: BY_CHARGE, duration: BY_DURATION };

/** Of at most `most` that the search finds: `sorted` is as many only where there may be more. */
export async function sortedIds(
  q: Queryable,
  search: SortedSearch,
  most: number,
): Promise<SortedId[]> {
  const { accountId, keyIds, model, state, cursor, floor, kind, weights, after, limit, order } =
    search;
  return q.run(BY[order], [
    accountId,
    keyIds,
    model,
    state,
    cursor,
    floor,
    kind,
    ...weightParams(weights),
    most,
    after?.weight ?? null,
    after?.id ?? null,
    limit,
  ]);
}
