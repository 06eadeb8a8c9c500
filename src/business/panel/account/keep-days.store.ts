/** Adds up what was spent on a day of Moscow that is over, once: by key, and over all keys. */
import type { Tx } from "../../../db/database.ts";
import { sql } from "../../../db/sql-type.ts";
import { statement } from "../../../db/statement.ts";

const UNLIMITED = statement({ text: "SET LOCAL statement_timeout = 0" });

/** The hours of the day $1. */
const HOURS = `FROM usage.hourly
  WHERE hour >= $1::date::timestamp AT TIME ZONE 'Europe/Moscow' AND hour < ($1::date + 1)::timestamp AT TIME ZONE 'Europe/Moscow'`;
// The first day of all is that of the first sum. What is booked at midnight is committed soon after.
const NEXT = `t, (SELECT hour FROM usage.hourly ORDER BY hour LIMIT 1) h) n
  WHERE (day + 1)::timestamp AT TIME ZONE 'Europe/Moscow' < clock_timestamp() - interval '10 minutes'`;
const DAY = `SELECT day FROM (SELECT greatest(t.day + 1, (h.hour AT TIME ZONE 'Europe/Moscow')::date) AS day`;
const LOCKED = { locked: sql.bool };
const NEXT_DAY = { day: sql.present(sql.date) };

const LOCK_BY_KEY = statement({
  text: "SELECT true AS locked FROM usage.daily_through FOR UPDATE SKIP LOCKED",
  row: LOCKED,
});
const NEXT_BY_KEY = statement({ text: `${DAY} FROM usage.daily_through ${NEXT}`, row: NEXT_DAY });
// In the order of the key, so that rows that are read together lie together.
const KEEP_BY_KEY = statement({
  text: `
  INSERT INTO usage.daily (account_id, day, key_id, kind, model, ended, failed, charged_nano, input_tokens, cached_tokens, output_tokens, group_id)
  SELECT account_id, $1::date, key_id, kind, model, sum(ended), coalesce(sum(ended) FILTER (WHERE state = 'failed'), 0), sum(charged_nano),
    sum(input_tokens), sum(cached_tokens), sum(output_tokens), group_id
  ${HOURS} GROUP BY account_id, key_id, group_id, kind, model ORDER BY account_id, key_id`,
  parameters: [sql.date],
});
const MOVE_BY_KEY = statement({
  text: "UPDATE usage.daily_through SET day = $1",
  parameters: [sql.date],
});

const LOCK_OVER_KEYS = statement({
  text: "SELECT true AS locked FROM usage.account_daily_through FOR UPDATE SKIP LOCKED",
  row: LOCKED,
});
const NEXT_OVER_KEYS = statement({
  text: `${DAY} FROM usage.account_daily_through ${NEXT}`,
  row: NEXT_DAY,
});
const KEEP_OVER_KEYS = statement({
  text: `
  INSERT INTO usage.account_daily (account_id, day, kind, model, state, ended, charged_nano, input_tokens, cached_tokens, output_tokens, duration_ms,
    first_ms, firsts, first_id, last_id)
  SELECT account_id, $1::date, kind, model, state, sum(ended), sum(charged_nano), sum(input_tokens), sum(cached_tokens), sum(output_tokens),
    sum(duration_ms), sum(first_ms), sum(firsts), min(first_id::text COLLATE "C")::uuid, max(last_id::text COLLATE "C")::uuid
  ${HOURS} GROUP BY account_id, kind, model, state ORDER BY account_id`,
  parameters: [sql.date],
});
const MOVE_OVER_KEYS = statement({
  text: "UPDATE usage.account_daily_through SET day = $1",
  parameters: [sql.date],
});

/** Each with a last day of its own: one is younger than the other. */
export const DAY_SUMS = [
  { lock: LOCK_BY_KEY, next: NEXT_BY_KEY, keep: KEEP_BY_KEY, move: MOVE_BY_KEY },
  { lock: LOCK_OVER_KEYS, next: NEXT_OVER_KEYS, keep: KEEP_OVER_KEYS, move: MOVE_OVER_KEYS },
] as const;

/**
 * Keeps the sums of the first day that is over and not kept yet. False: there is none, or another
 * process is at it. Has no statement timeout.
 */
export async function keepNextDay(
  tx: Tx,
  { lock, next, keep, move }: (typeof DAY_SUMS)[number],
): Promise<boolean> {
  await tx.run(UNLIMITED, []);
  if ((await tx.run(lock, [])).length === 0) return false;
  const [found] = await tx.run(next, []);
  if (found === undefined) return false;
  await tx.run(keep, [found.day]);
  await tx.run(move, [found.day]);
  return true;
}
