/**
 * Moves what accounts have in their books back in time, so that a test or a benchmark can fill in
 * what came after: an account's entries never go back in time.
 */
import type { ClientBase } from "pg";
import { DAYS_ANEW } from "./book-made.ts";
import { rewriteEntries } from "./rewrite-entries.ts";

/**
 * By so much, as PostgreSQL writes it, rounded up to whole hours. Makes the months that those
 * entries and all after them lie in.
 */
export async function ageEntries(
  client: ClientBase,
  accountIds: readonly string[],
  by: string,
): Promise<void> {
  const run = (text: string, params?: readonly unknown[]) => client.query(text, params?.slice());
  const { rows } = await client.query<{ earlier: string }>(
    "SELECT ceil(extract(epoch FROM $1::interval) / 3600) + 1 || ' hours' AS earlier",
    [by],
  );
  const moved = [accountIds, rows[0]?.earlier];
  await run("BEGIN");
  await run(
    "SELECT ledger.keep_months((clock_timestamp() - $1::interval - interval '1 day')::date, clock_timestamp()::date)",
    moved.slice(1),
  );
  await run(AGE_REFERENCES, moved);
  await rewriteEntries({ query: run }, async () => {
    await run(AGE_ENTRIES, moved);
  });
  await run(AGE_SUMS, moved);
  await run(AGE_ACCOUNTS, moved);
  await run("COMMIT");
}

/** The same id, with another time at its beginning. */
const earlier = (id: string): string =>
  `(left(replace(ledger.first_id(ledger.time_of(${id}) - $2::interval)::text, '-', ''), 12) || substr(replace(${id}::text, '-', ''), 13))::uuid`;
const EARLIER_ID = earlier("entry_id");
const THEIRS = "WHERE account_id = ANY ($1::uuid[])";

const AGE_REFERENCES = `UPDATE directory.transfers SET entry_id = ${EARLIER_ID} ${THEIRS}`;
const AGE_ENTRIES = `UPDATE ledger.entries SET at = at - $2::interval, entry_id = ${EARLIER_ID} ${THEIRS}`;
/** All are out before one comes back, so that none comes to the place of another. */
const AGE_SUMS = `
  WITH ${DAYS_ANEW}, gone AS (DELETE FROM usage.hourly ${THEIRS} RETURNING *)
  INSERT INTO usage.hourly
  SELECT moved.* FROM (SELECT * FROM gone ORDER BY hour) g,
    jsonb_populate_record(NULL::usage.hourly, to_jsonb(g) || jsonb_build_object('hour', hour - $2::interval,
      'first_id', ${earlier("first_id")}, 'last_id', ${earlier("last_id")})) AS moved`;
const AGE_ACCOUNTS = `
  UPDATE ledger.accounts SET entered_at = entered_at - $2::interval, opened_at = opened_at - $2::interval ${THEIRS}`;
