/**
 * The days on which an account, or any, had what is searched for, by the sums of days over all keys:
 * some rows a day, so that years are passed over where there was nothing of it.
 */
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";

/** Null: of all. */
export interface DaySearch {
  readonly accountId: Uuid | null;
  /** Asked for only where there is an account. */
  readonly keyIds: readonly Uuid[] | null;
  readonly model: string | null;
  readonly state: string | null;
  readonly kind: string | null;
  /** All ids are below the one, and none is below the other. */
  readonly cursor: Uuid;
  readonly floor: Uuid;
}

const MIDNIGHT = `::timestamp AT TIME ZONE 'Europe/Moscow'`;

const KEPT = statement({
  text: `SELECT greatest((t.day + 1)${MIDNIGHT}, '1970-01-01Z') AS kept FROM usage.account_daily_through t`,
  row: { kept: sql.present(sql.timestamptz) },
});

/** All hours before it are in sums of days: a midnight of Moscow, or 1970. */
export async function keptUntil(q: Queryable): Promise<Date> {
  const [row] = await q.run(KEPT, []);
  return row?.kept ?? new Date(0);
}

// No request ended more than an hour before the time of its id, whatever the clocks of processes.
const DAYS_OF = `
  SELECT a.day${MIDNIGHT} AS begins FROM (
    SELECT day FROM usage.account_daily
    WHERE kind <> 'task' AND model <> '' AND ($1::text IS NULL OR model = $1) AND ($2::text IS NULL OR state = $2) AND ($3::text IS NULL OR kind = $3)
      AND first_id < $4 AND last_id >= $5 AND day <= (($6::timestamptz - interval '1 microsecond') AT TIME ZONE 'Europe/Moscow')::date
      AND day >= ((ledger.time_of($5) - interval '61 minutes') AT TIME ZONE 'Europe/Moscow')::date`;
const PARAMETERS = [
  sql.nullable(sql.text),
  sql.nullable(sql.text),
  sql.nullable(sql.text),
  sql.uuid,
  sql.uuid,
  sql.timestamptz,
  sql.whole,
] as const;
const ROW = { begins: sql.present(sql.timestamptz) };

const OF_ALL = statement({
  text: `${DAYS_OF} GROUP BY day) a ORDER BY a.day DESC LIMIT $7`,
  parameters: PARAMETERS,
  row: ROW,
});

// Sums of days by key know no state: a day is asked for where both kinds of sums have some of it.
const OF_ACCOUNT = statement({
  text: `${DAYS_OF} AND account_id = $8 GROUP BY day) a
  WHERE $9::uuid[] IS NULL OR a.day > (SELECT t.day FROM usage.daily_through t)
    OR EXISTS (SELECT FROM usage.daily d WHERE d.account_id = $8 AND d.day = a.day AND d.key_id = ANY ($9) AND ($1::text IS NULL OR d.model = $1))
  ORDER BY a.day DESC LIMIT $7`,
  parameters: [...PARAMETERS, sql.uuid, sql.nullable(sql.array(sql.uuid))],
  row: ROW,
});

/** When they begin, the newest first; only of those that are kept and begin before that moment. */
export async function daysWith(
  q: Queryable,
  { accountId, keyIds, model, state, kind, cursor, floor }: DaySearch,
  before: Date,
  most: number,
): Promise<Date[]> {
  const parameters = [model, state, kind, cursor, floor, before, most] as const;
  const rows =
    accountId === null
      ? await q.run(OF_ALL, parameters)
      : await q.run(OF_ACCOUNT, [...parameters, accountId, keyIds]);
  return rows.map(({ begins }) => begins);
}

/** From the one moment on, and before the other; null: up to now. */
export interface Stretch {
  readonly from: Date;
  readonly before: Date | null;
}

/** Of Moscow: all are as long since 2014. */
export const DAY_MS = 86_400_000;
/** Days to ask for at first, and so many times more each time. */
const FIRST_DAYS = 4;

/** Where to look for it, the newest first: in the hours of no day yet, then on the days that have some. */
export async function* stretchesWith(q: Queryable, search: DaySearch): AsyncGenerator<Stretch> {
  let before = await keptUntil(q);
  yield { from: before, before: null };
  for (let most = FIRST_DAYS; ; most *= FIRST_DAYS) {
    const days = await daysWith(q, search, before, most);
    yield* joinDays(days);
    const last = days.at(-1);
    if (last === undefined || days.length < most) return;
    before = last;
  }
}

/** Days that follow each other are one. Given newest first. */
function joinDays(days: readonly Date[]): Stretch[] {
  const joined: { from: Date; before: Date }[] = [];
  for (const from of days) {
    const after = joined.at(-1);
    const end = new Date(from.getTime() + DAY_MS);
    if (after !== undefined && after.from.getTime() === end.getTime()) after.from = from;
    else joined.push({ from, before: end });
  }
  return joined;
}
