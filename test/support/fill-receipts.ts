/**
 * Fills an account with old requests, quickly: receipts with their entries, and books that agree
 * afterwards as if each had been made.
 */
import { Client } from "pg";
import { ageEntries } from "./age-entries.ts";
import { bookMade } from "./book-made.ts";

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
 * must own enough; what it has in its books already is moved back to before them.
 */
export async function fillReceipts(
  url: string,
  { accountId, keyIds, models, count, apart }: FilledAccount,
): Promise<void> {
  const client = new Client({ connectionString: url, application_name: "test fill" });
  await client.connect();
  try {
    const [{ span } = { span: "0" }] = (
      await client.query<{ span: string }>("SELECT ($1 * $2::interval)::text AS span", [
        count,
        apart,
      ])
    ).rows;
    await ageEntries(client, [accountId], span);
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
    if (count > BATCH) await client.query("VACUUM (ANALYZE) ledger.entries, usage.hourly");
  } finally {
    await client.end();
  }
}

/** As PostgreSQL 18's own uuidv7: in the order of the moments, to the microsecond. */
const ID = `(left(ledger.first_id(moment)::text, 13) || '-7' || lpad(to_hex((extract(epoch FROM moment) * 1000000)::bigint % 1000 * 4), 3, '0')
    || '-8' || right(gen_random_uuid()::text, 16))::uuid`;

const FILL = bookMade(`
  SELECT $1::uuid AS account_id, ($2::uuid[])[abs(hashint8(n)) % cardinality($2) + 1] AS budget_id, ${ID} AS entry_id,
    moment AS at, charge AS amount_nano, charge + 500 AS held_nano, NULL::bigint AS cost_nano,
    ($3::text[])[abs(hashint8(n + 7)) % cardinality($3) + 1] AS model, 'secret-upstream' AS upstream, n % 1000 AS input_tokens,
    n % 10 AS cached_tokens, n % 100 AS output_tokens, 1200 AS duration_ms, 150 AS first_ms, NULL AS reference,
    CASE WHEN n % 7 = 3 THEN 'failed' WHEN n % 1009 = 5 THEN 'client_gone' WHEN n % 200003 = 11 THEN 'stopped_by_balance' ELSE 'completed' END AS state,
    json_build_object('stream', true, 'usageSource', 'upstream', 'finishReason', 'stop',
      'usage', json_build_object('inputTokens', n % 1000 - n % 10, 'cachedInputTokens', n % 10, 'outputTokens', n % 100),
      'attempts', json_build_array(json_build_object('upstream', 'secret-upstream', 'model', 'secret-model', 'outcome', 'served',
        'status', 200, 'ms', 120)))::text AS detail
  FROM (SELECT n, clock_timestamp() - ($6::bigint - n) * $7::interval AS moment, CASE WHEN n % 7 = 3 THEN 0 ELSE abs(hashint8(n + 13)) % 1000000 + 1 END::bigint AS charge
        FROM generate_series($4::bigint, $5::bigint) AS n) numbers`);
