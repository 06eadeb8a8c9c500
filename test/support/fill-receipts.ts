/**
 * Fills an account with old requests, quickly: receipts with their entries, and books that agree
 * afterwards as if each had been made.
 */
import { Client } from "pg";

export interface FilledAccount {
  readonly accountId: string;
  readonly keyIds: readonly string[];
  readonly models: readonly string[];
  readonly count: number;
  /** Between two requests, backwards from now, as PostgreSQL writes it. */
  readonly apart: string;
}

const BATCH = 100_000;

/**
 * Charges are of all sizes. One request of seven has failed and cost nothing; the states
 * `client_gone` and `stopped_by_balance` are rare: one of 1,009 and one of 200,003. The account
 * must own enough.
 */
export async function fillReceipts(
  url: string,
  { accountId, keyIds, models, count, apart }: FilledAccount,
): Promise<void> {
  const client = new Client({ connectionString: url, application_name: "test fill" });
  await client.connect();
  try {
    for (let done = 0; done < count; done += BATCH) {
      await client.query(FILL, [
        accountId,
        keyIds,
        models,
        done,
        Math.min(done + BATCH, count) - 1,
        count,
        apart,
      ]);
    }
    if (count > BATCH) await client.query("VACUUM (ANALYZE) ledger.entries, usage.requests");
  } finally {
    await client.end();
  }
}

const FILL = `
  WITH made AS MATERIALIZED (
    SELECT uuidv7(-($6::bigint - n) * $7::interval) AS id, clock_timestamp() - ($6::bigint - n) * $7::interval AS at,
      ($2::uuid[])[abs(hashint8(n)) % cardinality($2) + 1] AS key_id, ($3::text[])[abs(hashint8(n + 7)) % cardinality($3) + 1] AS model,
      CASE WHEN n % 7 = 3 THEN 'failed' WHEN n % 1009 = 5 THEN 'client_gone' WHEN n % 200003 = 11 THEN 'stopped_by_balance' ELSE 'completed' END AS state,
      CASE WHEN n % 7 = 3 THEN 0 ELSE abs(hashint8(n + 13)) % 1000000 + 1 END::bigint AS charge, n
    FROM generate_series($4::bigint, $5::bigint) AS n
  ), booked AS (
    INSERT INTO ledger.entries (entry_id, kind, account_id, budget_id, debit_id, credit_id, amount_nano, held_nano, released_nano, price_version, at, reference)
    SELECT id, CASE WHEN charge > 0 THEN 'charge' ELSE 'release' END::ledger.entry_kind, $1, key_id, $1, '00000000-0000-0000-0000-000000000002', charge,
      charge + 500, 500, 1, at, 'request:' || id FROM made ORDER BY n
  ), written AS (
    INSERT INTO usage.requests (request_id, account_id, key_id, endpoint, model_requested, model, state, started_at, recorded_at, charged_nano, detail)
    SELECT id, $1, key_id, 'chat.completions', model, model, state, at, at, charge, json_build_object('stream', true, 'priceVersion', 1,
      'usage', json_build_object('inputTokens', n % 1000, 'cachedInputTokens', n % 10, 'cacheWrite5mTokens', 0, 'cacheWrite1hTokens', 0,
        'outputTokens', n % 100, 'reasoningTokens', 0, 'images', 0), 'usageSource', 'upstream', 'heldNano', (charge + 500)::text, 'lossNano', '0',
      'upstreamCostNano', NULL, 'attempts', json_build_array(json_build_object('upstream', 'secret-upstream', 'model', 'secret-model', 'outcome', 'served',
        'status', 200, 'ms', 120)), 'durationMs', 1200, 'firstContentMs', 150, 'finishReason', 'stop', 'suspicion', NULL)
    FROM made ORDER BY n
  ), of_account AS (
    UPDATE ledger.accounts SET charged_nano = charged_nano + (SELECT sum(charge)::bigint FROM made) WHERE account_id = $1
  )
  UPDATE ledger.budgets b SET charged_nano = b.charged_nano + s.charge, period_charged_nano = b.period_charged_nano + s.charge
  FROM (SELECT key_id, sum(charge)::bigint AS charge FROM made GROUP BY key_id) s WHERE b.budget_id = s.key_id`;
