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

/** By the sums of hours, which alone have times of answers. */
export interface ModelDayTimes extends ModelDay {
  /** To the first content of those that had one, and how many had. */
  readonly firstMs: bigint;
  readonly firsts: bigint;
  /** Of chats that were answered whole: how many, what they wrote, and how long that took. */
  readonly whole: bigint;
  readonly outputTokens: bigint;
  readonly lastedMs: bigint;
}

const COUNTS = { ended: sql.int8, failed: sql.int8 };

// By the days of accounts, which have an index of their own.
const BEFORE = statement({
  text: `
  SELECT day, model, sum(ended)::bigint AS ended, coalesce(sum(ended) FILTER (WHERE state = 'failed'), 0)::bigint AS failed
  FROM usage.account_days WHERE day >= $1 AND day < $2 AND model <> '' GROUP BY day, model`,
  parameters: [sql.date, sql.date],
  row: { day: sql.present(sql.date), model: sql.present(sql.text), ...COUNTS },
});

const WHOLE = `kind = 'chat' AND state = 'completed'`;
const DAY = statement({
  text: `
  SELECT model, sum(ended)::bigint AS ended, coalesce(sum(ended) FILTER (WHERE state = 'failed'), 0)::bigint AS failed,
    sum(first_ms)::bigint AS "firstMs", sum(firsts)::bigint AS firsts, coalesce(sum(ended) FILTER (WHERE ${WHOLE}), 0)::bigint AS whole,
    coalesce(sum(output_tokens) FILTER (WHERE ${WHOLE}), 0)::bigint AS "outputTokens",
    coalesce(sum(duration_ms) FILTER (WHERE ${WHOLE}), 0)::bigint AS "lastedMs"
  FROM usage.hourly
  WHERE hour >= $1::date::timestamp AT TIME ZONE 'Europe/Moscow' AND hour < ($1::date + 1)::timestamp AT TIME ZONE 'Europe/Moscow' AND model <> ''
  GROUP BY model`,
  parameters: [sql.date],
  row: {
    model: sql.text,
    ...COUNTS,
    firstMs: sql.int8,
    firsts: sql.int8,
    whole: sql.int8,
    outputTokens: sql.int8,
    lastedMs: sql.int8,
  },
});

/** From the one day on, up to the other and without it. */
export async function modelDaysBefore(q: Queryable, from: string, to: string): Promise<ModelDay[]> {
  return q.run(BEFORE, [from, to]);
}

/** Of one day, by the sums of its hours. */
export async function modelsOfDay(q: Queryable, day: string): Promise<ModelDayTimes[]> {
  return (await q.run(DAY, [day])).map((row) => ({ day, ...row }));
}
