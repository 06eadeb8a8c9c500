/**
 * Guarantee: sums of hours that are there already are in the days of accounts from the first moment
 * on, and stay in them while those are kept; top-ups of before are found by the new index.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { keepDays } from "../../src/business/panel/account/keep-days.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import { bookMade } from "../support/book-made.ts";
import { fundedAccount } from "../ledger/ledger-world.ts";
import { databaseBefore } from "./database-before.ts";

// Ten of an hour each, by two keys, from two months ago on; of each hour one has failed. Nothing is kept of it yet.
const HOURS = `
  INSERT INTO usage.hourly (account_id, hour, key_id, kind, model, state, upstream, ended, charged_nano, loss_nano, unknown_requests, unknown_charged_nano,
    input_tokens, cached_tokens, output_tokens, duration_ms, first_ms, firsts, first_id, last_id)
  SELECT $1, hour, key_id, 'chat', 'm', state, 'up', CASE state WHEN 'failed' THEN 1 ELSE 4 END, CASE state WHEN 'failed' THEN 0 ELSE 7 END, 0, 0, 0,
    3, 2, 1, 100, 10, 1, ledger.first_id(hour), ledger.first_id(hour + interval '1 minute')
  FROM generate_series(date_trunc('hour', now(), 'UTC') - interval '62 days', now(), interval '7 hours') AS hour, unnest($2::uuid[]) AS key_id,
    unnest('{completed,failed}'::text[]) AS state`;
const TRUTH = `
  SELECT (hour AT TIME ZONE 'Europe/Moscow')::date AS day, state, sum(ended)::bigint AS ended, sum(charged_nano)::bigint AS charged,
    sum(duration_ms)::bigint AS lasted, min(first_id::text)::uuid AS first, max(last_id::text)::uuid AS last
  FROM usage.hourly WHERE account_id = $1 GROUP BY 1, 2 ORDER BY 1, 2`;
const DAYS = `
  SELECT day, state, sum(ended)::bigint AS ended, sum(charged_nano)::bigint AS charged, sum(duration_ms)::bigint AS lasted,
    min(first_id::text)::uuid AS first, max(last_id::text)::uuid AS last
  FROM usage.account_days WHERE account_id = $1 GROUP BY 1, 2 ORDER BY 1, 2`;
const TOP_UPS = `
  SELECT entry_no FROM ledger.entries WHERE account_id = $1 AND kind = ANY ('{topup}'::ledger.entry_kind[]) AND kind NOT IN ('charge', 'release')
  ORDER BY entry_no DESC LIMIT 10`;

test("hours of before are days of accounts at once and once they are kept, and months of before and after have the index", async () => {
  await using before = await databaseBefore(20);
  const { db } = before;
  const accountId = await fundedAccount(db, 1_000_000n);
  await db.query(HOURS, [accountId, [newUuid(), newUuid()]]);
  const truth = await db.query(TRUTH, [accountId]);
  assert.ok(truth.length > 100);

  await before.apply();

  assert.deepEqual(await db.query(DAYS, [accountId]), truth, "not kept yet");
  await keepDays(db);
  assert.deepEqual(await db.query(DAYS, [accountId]), truth, "kept");
  const [kept] = await db.query<{ rows: bigint; days: bigint }>(
    "SELECT count(*) AS rows, count(DISTINCT day) AS days FROM usage.account_daily",
  );
  assert.ok(kept !== undefined && kept.days >= 60n && kept.rows === 2n * kept.days);

  await db.query("SELECT ledger.keep_months(now()::date, (now() + interval '8 months')::date)");
  const [months] = await db.query<{ without: bigint }>(
    `SELECT count(*) AS without FROM pg_inherits i
     WHERE i.inhparent = 'ledger.entries'::regclass AND NOT EXISTS (
       SELECT FROM pg_index x JOIN pg_inherits p ON p.inhrelid = x.indexrelid
       WHERE x.indrelid = i.inhrelid AND x.indisvalid AND p.inhparent = 'ledger.entries_of_no_request'::regclass)`,
  );
  assert.equal(months?.without, 0n);
  await db.query(
    bookMade(`SELECT $1::uuid AS account_id, NULL::uuid AS budget_id, gen_random_uuid() AS entry_id, now() AS at, 1::bigint AS amount_nano,
      2::bigint AS held_nano, NULL::bigint AS cost_nano, 'm' AS model, 'up' AS upstream, 0 AS input_tokens, 0 AS cached_tokens, 0 AS output_tokens,
      1 AS duration_ms, 1 AS first_ms, NULL AS reference, 'completed' AS state, '{}' AS detail FROM generate_series(1, 3)`),
    [accountId],
  );
  assert.deepEqual(await db.query(TOP_UPS, [accountId]), [{ entry_no: 1n }]);
});
