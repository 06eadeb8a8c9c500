/**
 * How often something is tried (schema `accounts`), counted for all processes together: a leaking
 * bucket for each subject.
 */
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";

export interface AttemptLimit {
  /** At once, after a quiet time. */
  readonly burst: number;
  /** Then one in so many seconds. */
  readonly everySeconds: number;
}

// The generic cell rate algorithm: free_at runs ahead of the time by one step for each attempt, and
// never further than the burst.
const TAKE = statement({
  text: `
  INSERT INTO accounts.attempts AS a (subject, free_at) VALUES ($1, clock_timestamp() + $2::float8 * interval '1 second')
  ON CONFLICT (subject) DO UPDATE SET free_at = greatest(a.free_at, clock_timestamp()) + $2::float8 * interval '1 second'
    WHERE a.free_at <= clock_timestamp() + ($3::float8 - 1) * $2::float8 * interval '1 second'
  RETURNING true AS done`,
  parameters: [sql.bytea, sql.float8, sql.float8],
  row: { done: sql.bool },
});

const TAKE_ATTEMPT = statement({
  text: `SELECT greatest(1, ceil(extract(epoch FROM free_at - clock_timestamp()) - ($2::float8 - 1) * $3::float8))::float8 AS seconds
     FROM accounts.attempts WHERE subject = $1`,
  parameters: [sql.bytea, sql.float8, sql.float8],
  row: { seconds: sql.float8 },
});

/**
 * Null: go on, it is counted. Otherwise the seconds after which the next attempt is let through,
 * never more than `everySeconds`.
 */
export async function takeAttempt(
  q: Queryable,
  subject: Buffer,
  limit: AttemptLimit,
): Promise<number | null> {
  const taken = await q.run(TAKE, [subject, limit.everySeconds, limit.burst]);
  if (taken.length === 1) return null;
  const [row] = await q.run(TAKE_ATTEMPT, [subject, limit.burst, limit.everySeconds]);
  return row?.seconds ?? 1;
}

const FORGET_ATTEMPTS = statement({
  text: "DELETE FROM accounts.attempts WHERE subject = ANY($1)",
  parameters: [sql.array(sql.bytea)],
});

/** As if it had never been tried. */
export async function forgetAttempts(q: Queryable, subjects: readonly Buffer[]): Promise<void> {
  await q.run(FORGET_ATTEMPTS, [subjects]);
}
