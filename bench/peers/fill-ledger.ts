/**
 * Fills a ledger with old charges, quickly and so that the books agree afterwards as if each had
 * been made by a request.
 */
import { Client } from "pg";
import { addSpend } from "../../src/business/alerts/looks.store.ts";
import { openDatabase } from "../../src/db/database.ts";
import { spendBefore } from "../../src/business/alerts/ledger-moves.store.ts";

/** What marks them; no charge of the benchmark itself has it. */
export const FILLED_REFERENCE = "bench:filled";
const BATCH = 500_000;
const CHARGED_NANO = 1000;
const HELD_NANO = 3000;
/** Between two entries, backwards from now: ten million are four months. */
const APART = "1 second";

/**
 * Charges in turn to every key, so each batch goes over all accounts. An entry's id is time-ordered
 * as the gateway's own are (uuidv7 of PostgreSQL 18). On a connection of its own, whose statements
 * may take their time.
 */
export async function fillLedger(
  url: string,
  count: number,
  say: (done: number) => void,
): Promise<void> {
  const client = new Client({ connectionString: url, application_name: "bench" });
  await client.connect();
  try {
    const { rows } = await client.query<{ budgets: string[]; accounts: string[] }>(KEYS);
    await client.query(DO_NOT_COUNT);
    await client.query(DO_NOT_LOOK);
    for (let done = 0; done < count; done += BATCH) {
      const size = Math.min(BATCH, count - done);
      await client.query(FILL, [
        done,
        count,
        size,
        APART,
        CHARGED_NANO,
        HELD_NANO,
        FILLED_REFERENCE,
        rows[0]?.budgets,
        rows[0]?.accounts,
      ]);
      say(done + size);
    }
    // What the server would have done by itself in the months that these entries took; that it does
    // it now is no part of a request.
    await client.query(COUNTED);
    await countForAlerts(url, rows[0]?.accounts ?? []);
    await client.query(LOOKED_AT);
    await client.query(
      "VACUUM (ANALYZE) ledger.entries, ledger.accounts, ledger.budgets, alerts.spend",
    );
    await client.query("CHECKPOINT").catch(() => undefined); // not every role may
  } finally {
    await client.end();
  }
}

/**
 * What alerts keep of a month of them, counted as they do when they begin to look at an account.
 */
async function countForAlerts(url: string, accountIds: readonly string[]): Promise<void> {
  const db = openDatabase({ url, poolSize: 1, applicationName: "bench", onError: () => undefined });
  try {
    for (const accountId of new Set(accountIds))
      await addSpend(db, await spendBefore(db, accountId, BigInt(BEHIND_ALL), accountId));
  } finally {
    await db.close();
  }
}

/**
 * The keys as two arrays, because a join against a table of unknown size may be planned as a loop
 * over all pairs.
 */
const KEYS =
  "SELECT array_agg(budget_id ORDER BY budget_id) AS budgets, array_agg(account_id ORDER BY budget_id) AS accounts FROM ledger.budgets";

/**
 * No entry is behind this number: the process that counts leaves the filled ones alone until they
 * are all there.
 */
const BEHIND_ALL = "9000000000000000000";
const DO_NOT_COUNT = `
  INSERT INTO usage.folds (account_id, through_seq) SELECT account_id, ${BEHIND_ALL} FROM ledger.accounts ORDER BY account_id
  ON CONFLICT (account_id) DO UPDATE SET through_seq = excluded.through_seq`;
const DO_NOT_LOOK = `
  INSERT INTO alerts.looks (account_id, through_seq, credited_nano, charged_nano)
  SELECT account_id, ${BEHIND_ALL}, credited_nano, charged_nano FROM ledger.accounts ORDER BY account_id
  ON CONFLICT (account_id) DO UPDATE SET through_seq = excluded.through_seq`;

const LAST_SEQ =
  "coalesce((SELECT e.seq FROM ledger.entries e WHERE e.account_id = a.account_id ORDER BY e.seq DESC LIMIT 1), 0)";

const COUNTED = `
  INSERT INTO usage.folds (account_id, through_seq, charged_nano, balance_nano)
  SELECT a.account_id, ${LAST_SEQ}, a.charged_nano, a.credited_nano - a.charged_nano FROM ledger.accounts a ORDER BY a.account_id
  ON CONFLICT (account_id) DO UPDATE SET through_seq = excluded.through_seq, charged_nano = excluded.charged_nano, balance_nano = excluded.balance_nano`;

const LOOKED_AT = `
  INSERT INTO alerts.looks (account_id, through_seq, credited_nano, charged_nano)
  SELECT a.account_id, ${LAST_SEQ}, a.credited_nano, a.charged_nano FROM ledger.accounts a ORDER BY a.account_id
  ON CONFLICT (account_id) DO UPDATE SET through_seq = excluded.through_seq, credited_nano = excluded.credited_nano, charged_nano = excluded.charged_nano`;

const FILL = `
  WITH booked AS (
    INSERT INTO ledger.entries (entry_id, kind, account_id, budget_id, debit_id, credit_id, amount_nano, held_nano, released_nano,
      price_version, at, reference)
    SELECT uuidv7(-before * $4::interval), 'charge', account, budget, account, '00000000-0000-0000-0000-000000000002',
      $5::bigint, $6::bigint, $6::bigint - $5::bigint, 1, clock_timestamp() - before * $4::interval, $7
    FROM (SELECT $2::bigint - n AS before, ($8::uuid[])[n % cardinality($8) + 1] AS budget, ($9::uuid[])[n % cardinality($9) + 1] AS account
          FROM generate_series($1::bigint, $1::bigint + $3::bigint - 1) AS n) numbered
  ), shares AS (
    SELECT ($8::uuid[])[n % cardinality($8) + 1] AS budget_id, ($9::uuid[])[n % cardinality($9) + 1] AS account_id, count(*)::bigint * $5::bigint AS charge
    FROM generate_series($1::bigint, $1::bigint + $3::bigint - 1) AS n GROUP BY 1, 2
  ), of_accounts AS (
    UPDATE ledger.accounts a SET charged_nano = a.charged_nano + s.charge
    FROM (SELECT account_id, sum(charge)::bigint AS charge FROM shares GROUP BY account_id) s WHERE s.account_id = a.account_id
  )
  UPDATE ledger.budgets b SET charged_nano = b.charged_nano + s.charge, period_charged_nano = b.period_charged_nano + s.charge
  FROM shares s WHERE s.budget_id = b.budget_id`;
