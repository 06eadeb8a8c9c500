/** Protects: a ledger that was filled for the benchmark is as consistent as one that grew. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { verifyLedger } from "../../src/business/operate/verify-ledger.ts";
import { testDatabase } from "../../test/support/database.ts";
import { newAccount, newKey } from "../../test/support/new-customer.ts";
import { FILLED_REFERENCE, fillLedger } from "./fill-ledger.ts";

test("the books agree after the fill, and every key has its share of the entries", async (t) => {
  const database = await testDatabase();
  try {
    const { db } = database;
    const [version] = await db.query<{ number: number }>(
      "SELECT current_setting('server_version_num')::int AS number",
    );
    if ((version?.number ?? 0) < 180_000)
      return t.skip("the fill makes its ids with PostgreSQL 18");
    const accounts = [await newAccount(db), await newAccount(db), await newAccount(db)];
    for (const account of [...accounts, ...accounts]) await newKey(db, account);
    await fillLedger(database.url, 6000, () => undefined);
    const { mismatches, checked } = await verifyLedger(db);
    assert.deepEqual(mismatches, []);
    assert.equal(checked.entries, 6003n);
    const rows = await db.query<{ count: bigint }>(
      "SELECT count(*) FROM ledger.entries WHERE kind = 'charge' AND reference = $1 GROUP BY budget_id",
      [FILLED_REFERENCE],
    );
    assert.deepEqual(
      rows.map(({ count }) => count),
      Array.from({ length: 6 }, () => 1000n),
    );
    // Six thousand seconds back from now, in sums of ten minutes.
    const sums = await db.query<{ charged: bigint; buckets: bigint }>(
      "SELECT sum(charged_nano)::bigint AS charged, count(*) AS buckets FROM alerts.spend WHERE grain = 'ten_minutes' GROUP BY subject_id",
    );
    assert.deepEqual(
      sums.map(({ charged }) => charged),
      Array.from({ length: 3 }, () => 2_000_000n),
    );
    assert.ok(sums.every(({ buckets }) => buckets === 10n || buckets === 11n));
    const [behind] = await db.query<{ count: bigint }>(
      "SELECT count(*) FROM ledger.accounts a LEFT JOIN alerts.looks l USING (account_id) WHERE l.through_no IS DISTINCT FROM a.entries",
    );
    assert.equal(behind?.count, 0n, "all is looked at");
  } finally {
    await database.drop();
  }
});
