/**
 * The hours in which requests ended, newest first, by the sums of hours: how many there were, and
 * between which ids those lie that are looked for. No list of all accounts has an index but that of
 * time, so this is where a look at requests begins.
 */
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";
import type { Uuid } from "../../kernel/ids.ts";
import {
  cutSpans,
  GREATEST_ID,
  joinSpans,
  newestSpans,
  sliceSpans,
  timeOf,
  type IdSpan,
} from "../../usage/id-spans.ts";

/** Null: of all. */
export interface HourSearch {
  readonly accountId: Uuid | null;
  readonly keyId: Uuid | null;
  readonly model: string | null;
  readonly state: string | null;
  /** All ids are below the one, and none is below the other. */
  readonly cursor: Uuid;
  readonly floor: Uuid;
}

export interface RequestHour {
  readonly hour: Date;
  /** Nothing of an earlier hour has an id from it on. */
  readonly beginId: Uuid;
  /** Requests and tasks, looked for or not. */
  readonly ended: bigint;
  /** With what lies in it, looked for or not; null: nothing of that hour is looked for. */
  readonly span: IdSpan | null;
}

const PARAMETERS = [
  sql.nullable(sql.uuid),
  sql.nullable(sql.uuid),
  sql.nullable(sql.text),
  sql.nullable(sql.text),
  sql.uuid,
  sql.uuid,
  sql.nullable(sql.timestamptz),
  sql.whole,
] as const;
const ROW = {
  hour: sql.timestamptz,
  beginId: sql.present(sql.uuid),
  ended: sql.present(sql.int8),
  lastedMs: sql.present(sql.float8),
  firstId: sql.nullable(sql.uuid),
  lastId: sql.nullable(sql.uuid),
};
// What was booked in an earlier hour has an id of before this one's, give or take the clocks of
// processes and database; and what is older than a page goes on from was booked by six hours later,
// but for what a process left behind that died.
const HOURS_OF = `
  SELECT hour, ledger.first_id(hour + interval '1 minute') AS "beginId", sum(ended)::bigint AS ended,
    extract(epoch FROM least(now() - hour, interval '1 hour'))::float8 * 1000 AS "lastedMs",
    (min(first_id::text COLLATE "C") FILTER (WHERE found))::uuid AS "firstId", (max(last_id::text COLLATE "C") FILTER (WHERE found))::uuid AS "lastId"
  FROM (
    SELECT *, kind <> 'task' AND model <> '' AND ($2::uuid IS NULL OR key_id = $2) AND ($3::text IS NULL OR model = $3)
      AND ($4::text IS NULL OR state = $4) AS found
    FROM usage.hourly
    WHERE`;
const THAT_REACH = `AND first_id < $5 AND last_id >= $6 AND hour < coalesce($7::timestamptz, ledger.time_of($5) + interval '6 hours')
      AND hour >= ledger.time_of($6) - interval '61 minutes') h
  GROUP BY hour ORDER BY hour DESC LIMIT $8`;
const HOURS_ALL = statement({
  text: `${HOURS_OF} $1::uuid IS NULL ${THAT_REACH}`,
  parameters: PARAMETERS,
  row: ROW,
});
const HOURS_ACCOUNT = statement({
  text: `${HOURS_OF} account_id = $1 ${THAT_REACH}`,
  parameters: PARAMETERS,
  row: ROW,
});

/** Hours to read at a time: those of busy gateways have a sum for each key that was in use. */
export const MOST_HOURS = 24;

/** At most so many, before that hour; null: the newest. */
export async function requestHours(
  q: Queryable,
  { accountId, keyId, model, state, cursor, floor }: HourSearch,
  before: Date | null,
  most: number,
): Promise<RequestHour[]> {
  const rows = await q.run(accountId === null ? HOURS_ALL : HOURS_ACCOUNT, [
    accountId,
    keyId,
    model,
    state,
    cursor,
    floor,
    before,
    most,
  ]);
  return rows.map(({ hour, beginId, ended, lastedMs, firstId, lastId }) => {
    if (firstId === null || lastId === null) return { hour, beginId, ended, span: null };
    const share = Math.min((timeOf(lastId) - timeOf(firstId) + 1) / Math.max(lastedMs, 1), 1);
    const count = BigInt(Math.ceil(Number(ended) * share));
    return { hour, beginId, ended, span: { firstId, lastId, count } };
  });
}

/**
 * An id from which on so many of the newest requests lie, about, or as many as there are from
 * `start` on.
 */
export async function newestFrom(q: Queryable, start: Uuid, newest: number): Promise<Uuid> {
  const all = { accountId: null, keyId: null, model: null, state: null };
  const bounds = { cursor: GREATEST_ID, floor: start };
  let spans: IdSpan[] = [];
  let count = 0n;
  let hour: Date | null = null;
  for (let most = 1; ; most = Math.min(2 * most, MOST_HOURS)) {
    const found: RequestHour[] = await requestHours(q, { ...all, ...bounds }, hour, most);
    const last: RequestHour | undefined = found.length < most ? undefined : found.at(-1);
    spans = joinSpans([...spans, ...found.flatMap(({ span }) => span ?? [])]);
    for (const { ended } of found) count += ended;
    const from = last !== undefined && last.beginId > start ? last.beginId : start;
    // Of the last hour some are older than it.
    const sure = count - (last?.ended ?? 0n);
    if (last === undefined || sure >= newest || count > 4 * newest) {
      if (count <= 4 * newest) return from;
      const parts = sliceSpans(cutSpans(spans, { from, before: GREATEST_ID }), newest / 2);
      return newestSpans(parts, 2 * newest).at(-1)?.firstId ?? from;
    }
    ({ hour } = last);
  }
}
