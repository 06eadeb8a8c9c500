/**
 * Fills a ledger with old charges, quickly and so that the books agree afterwards as if each had
 * been made by a request.
 */
import { Client } from "pg";
import { addSpend } from "../../src/business/alerts/looks.store.ts";
import { openDatabase } from "../../src/db/database.ts";
import { spendBefore } from "../../src/business/alerts/ledger-moves.store.ts";
import { ageEntries } from "../../test/support/age-entries.ts";
import { bookMade } from "../../test/support/book-made.ts";

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
    const { budgets = [], accounts = [] } = rows[0] ?? {};
    await client.query(DO_NOT_LOOK);
    await ageEntries(client, [...new Set(accounts)], `${count} seconds`);
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
        budgets,
        accounts,
        DETAIL,
      ]);
      say(done + size);
    }
    // What the server would have done by itself in the months that these entries took; that it does
    // it now is no part of a request.
    await countForAlerts(url, accounts);
    await client.query(LOOKED_AT);
    await client.query(
      "VACUUM (ANALYZE) ledger.entries, ledger.accounts, ledger.budgets, usage.hourly, alerts.spend",
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
 * No entry is behind this number: who looks for alerts leaves the filled ones alone until they are
 * all there.
 */
const BEHIND_ALL = "9000000000000000000";
const DO_NOT_LOOK = `
  INSERT INTO alerts.looks (account_id, through_no, credited_nano, charged_nano)
  SELECT account_id, ${BEHIND_ALL}, credited_nano, charged_nano FROM ledger.accounts ORDER BY account_id
  ON CONFLICT (account_id) DO UPDATE SET through_no = excluded.through_no`;

const LOOKED_AT = `
  INSERT INTO alerts.looks (account_id, through_no, credited_nano, charged_nano)
  SELECT a.account_id, a.entries, a.credited_nano, a.charged_nano FROM ledger.accounts a ORDER BY a.account_id
  ON CONFLICT (account_id) DO UPDATE SET through_no = excluded.through_no, credited_nano = excluded.credited_nano, charged_nano = excluded.charged_nano`;

/** What its receipt says beside its columns. */
const DETAIL = JSON.stringify({
  stream: true,
  usage: { inputTokens: 200, outputTokens: 100 },
  usageSource: "upstream",
  attempts: [{ upstream: "bench", model: "bench-model", outcome: "served", status: 200, ms: 900 }],
  finishReason: "stop",
});

const FILL = bookMade(`
  SELECT ($9::uuid[])[n % cardinality($9) + 1] AS account_id, ($8::uuid[])[n % cardinality($8) + 1] AS budget_id,
    uuidv7(-before * $4::interval) AS entry_id, clock_timestamp() - before * $4::interval AS at, $5::bigint AS amount_nano, $6::bigint AS held_nano,
    $5::bigint / 2 AS cost_nano, 'bench-model' AS model, 'completed' AS state, 'bench' AS upstream, 200::bigint AS input_tokens,
    0::bigint AS cached_tokens, 100::bigint AS output_tokens, 1000 AS duration_ms, 200 AS first_ms, $7::text AS reference,
    $10::text AS detail
  FROM (SELECT n, $2::bigint - n AS before FROM generate_series($1::bigint, $1::bigint + $3::bigint - 1) AS n) numbers`);
