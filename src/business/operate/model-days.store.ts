/** How many requests of each model ended on a day of Moscow, and how many of them without an answer. */
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";

export interface ModelDay {
  /** `2026-11-27`. */
  readonly day: string;
  readonly model: string;
  readonly ended: bigint;
  readonly failed: bigint;
}

const COUNTS = { ended: sql.int8, failed: sql.int8 };

// Days have no index of their own: this reads all of their sums, once a day.
const BEFORE = statement({
  text: `
  SELECT day, model, sum(ended)::bigint AS ended, sum(failed)::bigint AS failed
  FROM usage.days WHERE day >= $1 AND day < $2 AND model <> '' GROUP BY day, model`,
  parameters: [sql.date, sql.date],
  row: { day: sql.present(sql.date), model: sql.present(sql.text), ...COUNTS },
});

const DAY = statement({
  text: `
  SELECT model, sum(ended)::bigint AS ended, coalesce(sum(ended) FILTER (WHERE state = 'failed'), 0)::bigint AS failed
  FROM usage.hourly
  WHERE hour >= $1::date::timestamp AT TIME ZONE 'Europe/Moscow' AND hour < ($1::date + 1)::timestamp AT TIME ZONE 'Europe/Moscow' AND model <> ''
  GROUP BY model`,
  parameters: [sql.date],
  row: { model: sql.text, ...COUNTS },
});

/** From the one day on, up to the other and without it. */
export async function modelDaysBefore(q: Queryable, from: string, to: string): Promise<ModelDay[]> {
  return q.run(BEFORE, [from, to]);
}

/** Of one day, by the sums of its hours. */
export async function modelsOfDay(q: Queryable, day: string): Promise<ModelDay[]> {
  return (await q.run(DAY, [day])).map((row) => ({ day, ...row }));
}
