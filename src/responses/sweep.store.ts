/** What time does to answers that are kept, a bounded batch at a time, by any number of processes. */
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";

// Rooms are given back in the order of the accounts, so that two sweepers wait for each other
// instead of deadlocking.
const DELETE_EXPIRED = statement({
  text: `
  WITH due AS (
    SELECT account_id, response_id FROM responses.responses WHERE expires_at <= statement_timestamp()
    ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED),
  gone AS (
    DELETE FROM responses.responses r USING due WHERE r.account_id = due.account_id AND r.response_id = due.response_id
    RETURNING r.account_id, r.bytes),
  sums AS MATERIALIZED (
    SELECT account_id, sum(bytes)::bigint AS bytes, count(*) AS responses FROM gone GROUP BY account_id ORDER BY account_id)
  SELECT responses AS count, files.give_room(account_id, bytes) AS freed FROM sums`,
  parameters: [sql.whole],
  row: { count: sql.int8, freed: sql.void },
});

/** Removes answers whose time is over, at most `limit`. Returns how many. */
export async function deleteExpiredResponses(q: Queryable, limit: number): Promise<number> {
  const rows = await q.run(DELETE_EXPIRED, [limit]);
  return rows.reduce((sum, { count }) => sum + Number(count), 0);
}
