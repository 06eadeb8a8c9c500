/**
 * Marks of an account's balance: where in its entries a time lies, without reading all that came
 * after it.
 */
import type { Queryable } from "../../../db/database.ts";
import { sql } from "../../../db/sql-type.ts";
import { statement } from "../../../db/statement.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import { nano, type Nano } from "../../../kernel/money.ts";

/**
 * An entry's time is at most four seconds older than its posting (ledger.post_pages), whose turn is
 * waited for ten seconds at most, so entries may be out of order by no more than that.
 */
const DISORDER = "interval '15 seconds'";

const MARK_ROW = { seq: sql.int8, balanceNano: sql.nano };

const AFTER = statement({
  text: `SELECT seq, balance_nano AS "balanceNano" FROM usage.marks WHERE account_id = $1 AND at >= $2::timestamptz + ${DISORDER} ORDER BY seq LIMIT 1`,
  parameters: [sql.uuid, sql.timestamptz],
  row: MARK_ROW,
});

const BEFORE = statement({
  text: `SELECT seq, balance_nano AS "balanceNano" FROM usage.marks WHERE account_id = $1 AND at < $2::timestamptz - ${DISORDER} ORDER BY seq DESC LIMIT 1`,
  parameters: [sql.uuid, sql.timestamptz],
  row: MARK_ROW,
});

export interface Mark {
  readonly seq: bigint;
  /** Right after that entry. */
  readonly balanceNano: Nano;
}

/** All entries of before the moment are at or below it; null: look from the newest. */
export async function markAfter(q: Queryable, accountId: Uuid, moment: Date): Promise<Mark | null> {
  const [mark] = await q.run(AFTER, [accountId, moment]);
  return mark ?? null;
}

/**
 * All entries from the moment on are above it; where there is none, it is the beginning of the
 * books.
 */
export async function markBefore(q: Queryable, accountId: Uuid, moment: Date): Promise<Mark> {
  const [mark] = await q.run(BEFORE, [accountId, moment]);
  return mark ?? BEGINNING;
}

export const BEGINNING: Mark = { seq: 0n, balanceNano: nano(0n) };
