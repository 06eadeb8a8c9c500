/**
 * Fills accounts with ended requests over many months, quickly: entries as the ledger would have
 * written them, numbered and with their balances, and totals that agree.
 */
import { Client } from "pg";
import { bookMade } from "../support/book-made.ts";

export interface FilledMonths {
  readonly accountIds: readonly string[];
  /** One of each account, in the same order. */
  readonly keyIds: readonly string[];
  readonly models: readonly string[];
  /** The first days of the months, `2026-01-01`, ascending. */
  readonly months: readonly string[];
  readonly perMonth: number;
  /** What every account is topped up with in each month, in nano-roubles. */
  readonly topUpNano: bigint;
  /** What every account is given besides in each month, as a trial and as a bonus; absent: nothing. */
  readonly giftNano?: bigint;
}

const BATCH = 100_000;

/** Every seventh request has failed and cost nothing. */
export async function fillMonths(url: string, filled: FilledMonths): Promise<void> {
  const { accountIds, keyIds, models, months, perMonth, topUpNano, giftNano } = filled;
  const client = new Client({ connectionString: url, application_name: "test fill" });
  await client.connect();
  try {
    const [first = "", last = ""] = [months[0], months.at(-1)];
    await client.query("SELECT ledger.keep_months($1, $2)", [first, last]);
    for (const month of months) {
      await client.query(CREDIT, [accountIds, month, topUpNano, "paid"]);
      for (const gift of giftNano === undefined ? [] : ["bonus", "trial"])
        await client.query(CREDIT, [accountIds, month, giftNano, gift]);
      for (let done = 0; done < perMonth; done += BATCH) {
        const upTo = Math.min(done + BATCH, perMonth) - 1;
        await client.query(FILL, [accountIds, keyIds, models, month, done, upTo, perMonth]);
      }
    }
    if (perMonth * months.length > BATCH)
      await client.query("VACUUM (ANALYZE) ledger.entries, usage.hourly");
  } finally {
    await client.end();
  }
}

/** Of a moment, with something of its own behind the time (UUIDv7). */
const idOf = (moment: string, own: string): string =>
  `(left(ledger.first_id(${moment})::text, 13) || '-7' || substr(md5(${own}), 1, 3) || '-8' || substr(md5(${own}), 4, 3) || '-' || substr(md5(${own}), 7, 12))::uuid`;

const CREDIT = `
  WITH made AS (
    SELECT a.account_id, a.entries + 1 AS entry_no, a.credited_nano - a.charged_nano + $3::bigint AS balance, t.at,
      ${idOf("t.at", "a.account_id::text || 'topup' || $4::text")} AS entry_id, 'fill ' || a.account_id || ' ' || $2 || $4 AS reference
    FROM ledger.accounts a, (SELECT $2::timestamp AT TIME ZONE 'Europe/Moscow' + interval '1 second' AS at) t
    WHERE a.account_id = ANY ($1::uuid[])
  ), booked AS (
    INSERT INTO ledger.entries (account_id, entry_id, entry_no, at, amount_nano, balance_nano, kind, class, reference)
    SELECT account_id, entry_id, entry_no, at, $3, balance, 'topup', $4::ledger.credit_class, reference FROM made
  ), named AS (
    INSERT INTO directory.transfers (kind, reference, account_id, entry_id, amount_nano, class, entry_no)
    SELECT 'topup', reference, account_id, entry_id, $3, $4, entry_no FROM made
  )
  UPDATE ledger.accounts a SET credited_nano = a.credited_nano + $3, entries = m.entry_no, entered_at = m.at,
    trial_until_nano = CASE WHEN $4 = 'trial' THEN greatest(a.trial_until_nano, a.charged_nano) + $3 ELSE a.trial_until_nano END,
    bonus_until_nano = CASE WHEN $4 <> 'paid' THEN greatest(a.bonus_until_nano, a.charged_nano) + $3 ELSE a.bonus_until_nano END
  FROM made m WHERE a.account_id = m.account_id`;

const FILL = bookMade(`
  SELECT ($1::uuid[])[nth] AS account_id, ($2::uuid[])[nth] AS budget_id, ${idOf("began", "n::text || ($1::uuid[])[nth]::text")} AS entry_id,
    began + interval '1.2 seconds' AS at, charge AS amount_nano, charge + 500 AS held_nano, charge / 2 AS cost_nano,
    ($3::text[])[abs(hashint8(n + 7)) % cardinality($3) + 1] AS model, 'upstream-' || n % 3 AS upstream, n % 1000 AS input_tokens,
    n % 10 AS cached_tokens, n % 100 AS output_tokens, 1200 AS duration_ms, 150 AS first_ms, NULL AS reference,
    CASE WHEN charge = 0 THEN 'failed' ELSE 'completed' END AS state,
    json_build_object('stream', true, 'usageSource', 'upstream', 'finishReason', 'stop',
      'usage', json_build_object('inputTokens', n % 1000 - n % 10, 'cachedInputTokens', n % 10, 'outputTokens', n % 100),
      'attempts', json_build_array(json_build_object('upstream', 'upstream-' || n % 3, 'model', 'their-model', 'outcome', 'served',
        'status', 200, 'ms', 100 + n % 900)))::text AS detail
  FROM (
    SELECT n, n % cardinality($1::uuid[]) + 1 AS nth, CASE WHEN n % 7 = 3 THEN 0 ELSE abs(hashint8(n + 13)) % 1000000 + 1 END::bigint AS charge,
      $4::timestamp AT TIME ZONE 'Europe/Moscow' + interval '1 minute' + (n + 1) * (interval '27 days' / $7::bigint) AS began
    FROM generate_series($5::bigint, $6::bigint) AS n) numbers`);
