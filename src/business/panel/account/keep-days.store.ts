/** Adds up what was spent on a day of Moscow that is over, once. */
import type { Tx } from "../../../db/database.ts";
import { sql } from "../../../db/sql-type.ts";
import { statement } from "../../../db/statement.ts";

const UNLIMITED = statement({ text: "SET LOCAL statement_timeout = 0" });

const LOCK = statement({
  text: "SELECT true AS locked FROM usage.daily_through FOR UPDATE SKIP LOCKED",
  row: { locked: sql.bool },
});

// The first day of all is that of the first sum. What is booked at midnight is committed soon after.
const NEXT = statement({
  text: `
  SELECT day FROM (
    SELECT greatest(t.day + 1, (h.hour AT TIME ZONE 'Europe/Moscow')::date) AS day
    FROM usage.daily_through t, (SELECT hour FROM usage.hourly ORDER BY hour LIMIT 1) h) n
  WHERE (day + 1)::timestamp AT TIME ZONE 'Europe/Moscow' < clock_timestamp() - interval '10 minutes'`,
  row: { day: sql.present(sql.date) },
});

const KEEP = statement({
  text: `
  INSERT INTO usage.daily (account_id, day, key_id, kind, model, ended, failed, charged_nano, input_tokens, cached_tokens, output_tokens, group_id)
  SELECT account_id, $1::date, key_id, kind, model, sum(ended), coalesce(sum(ended) FILTER (WHERE state = 'failed'), 0), sum(charged_nano),
    sum(input_tokens), sum(cached_tokens), sum(output_tokens), group_id
  FROM usage.hourly
  WHERE hour >= $1::date::timestamp AT TIME ZONE 'Europe/Moscow' AND hour < ($1::date + 1)::timestamp AT TIME ZONE 'Europe/Moscow'
  GROUP BY account_id, key_id, group_id, kind, model`,
  parameters: [sql.date],
});

const MOVE = statement({ text: "UPDATE usage.daily_through SET day = $1", parameters: [sql.date] });

/**
 * Keeps the sums of the first day that is over and not kept yet. False: there is none, or another
 * process is at it. Has no statement timeout.
 */
export async function keepNextDay(tx: Tx): Promise<boolean> {
  await tx.run(UNLIMITED, []);
  if ((await tx.run(LOCK, [])).length === 0) return false;
  const [next] = await tx.run(NEXT, []);
  if (next === undefined) return false;
  await tx.run(KEEP, [next.day]);
  await tx.run(MOVE, [next.day]);
  return true;
}
