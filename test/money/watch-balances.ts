/**
 * Looks at every balance and key limit from a connection of its own, again and again, as long as a
 * test runs.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";

export interface BalanceWatch {
  /** Ends the watch and tells what it saw. */
  stop(): Promise<{ readonly samples: number; readonly overspent: readonly unknown[] }>;
}

const PAUSE_MS = 5;

/**
 * Both the running totals and what entries and holds add up to, in one snapshot: a total that was
 * wrong would hide an overspent account, and a sum alone would hide a total that the next decision
 * rests on.
 */
const OVERSPENT = `
  WITH booked AS (
    SELECT account_id, sum(CASE WHEN kind IN ('topup', 'adjust') THEN amount_nano WHEN kind = 'charge' THEN -amount_nano ELSE 0 END) AS left_nano
    FROM ledger.entries GROUP BY account_id),
  held AS (SELECT account_id, sum(held_nano) AS nano FROM ledger.holds GROUP BY account_id),
  of_keys AS (SELECT account_id, budget_id, sum(amount_nano) AS nano FROM ledger.entries WHERE kind = 'charge' GROUP BY account_id, budget_id),
  held_by_keys AS (SELECT account_id, budget_id, sum(held_nano) AS nano FROM ledger.holds GROUP BY account_id, budget_id)
  SELECT 'account' AS what, account_id AS id, a.credited_nano - a.charged_nano - a.held_nano AS total, b.left_nano - coalesce(h.nano, 0) AS sum
  FROM ledger.accounts a JOIN booked b USING (account_id) LEFT JOIN held h USING (account_id)
  WHERE a.credited_nano - a.charged_nano - a.held_nano < 0 OR b.left_nano - coalesce(h.nano, 0) < 0
  UNION ALL
  SELECT 'key', budget_id, t.limit_nano - t.period_charged_nano - t.held_nano, t.limit_nano - coalesce(c.nano, 0) - coalesce(h.nano, 0)
  FROM ledger.budgets t LEFT JOIN of_keys c USING (account_id, budget_id) LEFT JOIN held_by_keys h USING (account_id, budget_id)
  WHERE t.limit_nano - t.period_charged_nano - t.held_nano < 0 OR t.limit_nano - coalesce(c.nano, 0) - coalesce(h.nano, 0) < 0`;

export async function watchBalances(url: string): Promise<BalanceWatch> {
  const client = new Client({ connectionString: url, application_name: "balance watch" });
  await client.connect();
  const overspent: unknown[] = [];
  let samples = 0;
  let busy = true;

  async function watch(): Promise<void> {
    while (busy) {
      const { rows } = await client.query(OVERSPENT);
      samples += 1;
      overspent.push(...rows);
      await sleep(PAUSE_MS);
    }
  }
  const watching = watch();

  return {
    async stop() {
      busy = false;
      await watching;
      await client.end();
      return { samples, overspent };
    },
  };
}
