/**
 * Parked receipts that are not reported to the operator yet. Whichever process parked one, a
 * poster, a reader that posted first or one that died since, it is reported once.
 */
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";

export interface ParkedReceipt {
  readonly parkedId: bigint;
  readonly reason: string;
}

const AT_MOST = 100;

const TAKE_UNREPORTED = statement({
  text: `UPDATE usage.parked p SET reported = true
  FROM (SELECT parked_id FROM usage.parked WHERE NOT reported ORDER BY parked_id LIMIT ${AT_MOST}
    FOR UPDATE SKIP LOCKED) u
  WHERE p.parked_id = u.parked_id RETURNING p.parked_id AS "parkedId", p.reason`,
  row: { parkedId: sql.int8, reason: sql.text },
});

/** Each is given to one process once, a hundred at a time; what is left comes next time. */
export function takeUnreported(q: Queryable): Promise<ParkedReceipt[]> {
  return q.run(TAKE_UNREPORTED, []);
}
