/** A month passes for some accounts: all that their books say moves back by one. */
import type { Rewriter } from "../support/rewrite-entries.ts";

/** By the calendar of the periods, so that what began one is the beginning of one still. */
const monthBefore = (moment: string): string =>
  `(${moment} AT TIME ZONE 'Europe/Moscow' - interval '1 month') AT TIME ZONE 'Europe/Moscow'`;
const THEIRS = "WHERE account_id = ANY ($1::uuid[])";

const STATEMENTS = [
  `UPDATE ledger.entries SET at = ${monthBefore("at")} ${THEIRS}`,
  // All are out before one comes back: none comes to the place of another.
  `WITH gone AS (DELETE FROM usage.hourly ${THEIRS} RETURNING *)
   INSERT INTO usage.hourly
   SELECT moved.* FROM (SELECT * FROM gone ORDER BY hour) g,
     jsonb_populate_record(NULL::usage.hourly, to_jsonb(g) || jsonb_build_object('hour', ${monthBefore("hour")})) AS moved`,
  `UPDATE ledger.accounts SET entered_at = ${monthBefore("entered_at")} ${THEIRS}`,
  `UPDATE ledger.budgets SET period_start = ${monthBefore("period_start")} ${THEIRS}`,
];

/** The ids of entries stay: they are those of requests and tasks. Where entries may be rewritten. */
export async function passMonth(tx: Rewriter, accountIds: readonly string[]): Promise<void> {
  for (const text of STATEMENTS) await tx.query(text, [accountIds]);
}
