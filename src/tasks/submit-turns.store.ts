/** Whose turn it is to be submitted, where an upstream takes only so many tasks in a time: one row for all processes. */
import type { Queryable } from "../db/database.ts";

type Statements = Pick<Queryable, "query">;

export interface TurnRate {
  readonly upstream: string;
  /** So many turns … */
  readonly count: number;
  /** … in any time of this length. */
  readonly windowMs: number;
}

const WAIT = `
  SELECT (extract(epoch FROM taken[cardinality(taken) - $2 + 1] - clock_timestamp()) * 1000 + $3)::float8 AS ms
  FROM tasks.submit_turns WHERE upstream = $1 AND cardinality(taken) >= $2`;
// What the row's lock was waited for counts: it is read under it.
const TAKE = `
  INSERT INTO tasks.submit_turns AS t (upstream, taken) VALUES ($1, ARRAY[clock_timestamp()])
  ON CONFLICT (upstream) DO UPDATE SET taken = t.taken[cardinality(t.taken) - $2 + 2 : ] || clock_timestamp()
  WHERE cardinality(t.taken) < $2 OR t.taken[cardinality(t.taken) - $2 + 1] <= clock_timestamp() - $3 * interval '1 millisecond'
  RETURNING true`;

const SOONEST_MS = 1;

/** Takes a turn, and returns 0; or the milliseconds until there is one. The turn is gone when `tx` commits, whatever is done with it. */
export async function takeTurn(tx: Statements, { upstream, count, windowMs }: TurnRate): Promise<number> {
  // First without a lock: whoever waits costs a look.
  const soonest = await waitMs();
  if (soonest > 0) return soonest;
  if ((await tx.query(TAKE, [upstream, count, windowMs])).length > 0) return 0;
  return Math.max(SOONEST_MS, await waitMs());

  async function waitMs(): Promise<number> {
    const [wait] = await tx.query<{ ms: number }>(WAIT, [upstream, count, windowMs]);
    return Math.max(0, wait?.ms ?? 0);
  }
}
