/** Protects: what the panel is measured on is as consistent as books that grew, groups included. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createAccount } from "../../src/business/accounts/create-account.ts";
import { verifyLedger } from "../../src/business/operate/verify-ledger.ts";
import { testDatabase } from "../../test/support/database.ts";
import { fillWorld } from "./fill-world.ts";

test("the books agree after the fill, and days and groups have what was spent", async () => {
  const database = await testDatabase();
  try {
    const { db } = database;
    const made = await createAccount(db, {
      name: "Big",
      email: "owner@example.test",
      operator: true,
    });
    assert.ok(made.kind === "created");
    const size = { requests: 2000, accounts: 10, keys: 30, tasks: 20 };
    await fillWorld(database.url, made.accountId, size, () => undefined);
    const { mismatches, checked } = await verifyLedger(db);
    assert.deepEqual(mismatches, []);
    // The big account paid ten times, the others twice.
    assert.equal(checked.entries, 2030n);
    const [counted] = await db.query<Record<string, bigint>>(
      `SELECT (SELECT sum(ended)::bigint FROM usage.days) AS requests, (SELECT count(DISTINCT group_id) FROM usage.days) AS groups,
         (SELECT count(*) FROM keys.keys WHERE account_id = $1) AS keys, (SELECT count(*) FROM accounts.accounts) AS accounts,
         (SELECT count(*) FROM tasks.tasks) AS tasks, (SELECT count(*) FROM payments.payments) AS payments`,
      [made.accountId],
    );
    assert.deepEqual(
      { ...counted },
      { requests: 2000n, groups: 16n, keys: 30n, accounts: 11n, tasks: 20n, payments: 30n },
    );
    const [behind] = await db.query<{ count: bigint }>(
      "SELECT count(*) FROM ledger.accounts a LEFT JOIN alerts.looks l USING (account_id) WHERE l.through_no IS DISTINCT FROM a.entries",
    );
    assert.equal(behind?.count, 0n, "all is looked at");
  } finally {
    await database.drop();
  }
});
