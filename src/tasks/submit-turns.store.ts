/**
 * Whose turn it is to be submitted, where an upstream takes only so many tasks in a time or at
 * once: one row for all processes, turns by account.
 */
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import { assert } from "../kernel/assert.ts";
import type { Uuid } from "../kernel/ids.ts";

export interface TurnAsked {
  readonly upstream: string;
  readonly taskId: Uuid;
  readonly accountId: Uuid;
  /** So many turns in any time of this length; null: no such limit. */
  readonly rate: { readonly count: number; readonly windowMs: number } | null;
  /** So many tasks that the upstream has or may have; null: no such limit. */
  readonly maxRunning: number | null;
}

export interface TurnVerdict {
  /**
   * 0: the turn is taken, and gone when the transaction commits. Else the milliseconds until it
   * should be asked for again.
   */
  readonly waitMs: number;
  /** Tasks of this account that wait there, this one too, and accounts of which some do. */
  readonly mine: number;
  readonly accounts: number;
}

const TAKE_TURN = statement({
  text: `SELECT wait_ms AS "waitMs", mine, accounts FROM tasks.take_turn($1, $2, $3, $4, $5::float8 * interval '1 millisecond', $6)`,
  parameters: [
    sql.text,
    sql.uuid,
    sql.uuid,
    sql.nullable(sql.int4),
    sql.nullable(sql.float8),
    sql.nullable(sql.int4),
  ],
  row: { waitMs: sql.float8, mine: sql.nullable(sql.int8), accounts: sql.nullable(sql.int8) },
});

/**
 * The next turn is of the account that had its last one the longest ago: no account waits behind
 * another's backlog.
 */
export async function takeTurn(
  tx: Queryable,
  { upstream, taskId, accountId, rate, maxRunning }: TurnAsked,
): Promise<TurnVerdict> {
  const [row] = await tx.run(TAKE_TURN, [
    upstream,
    taskId,
    accountId,
    rate?.count ?? null,
    rate?.windowMs ?? null,
    maxRunning,
  ]);
  assert(row !== undefined, "take_turn answers with one row");
  return { waitMs: row.waitMs, mine: Number(row.mine ?? 0n), accounts: Number(row.accounts ?? 0n) };
}
