/** What all accounts own together is more than any one of them can. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fundedAccount } from "../../test/ledger/ledger-world.ts";
import { testDatabase } from "../../test/support/database.ts";
import { totalMoney } from "./accounts.store.ts";

test("the total of all accounts is exact beyond what one account can have", async () => {
  const database = await testDatabase();
  try {
    const { db } = database;
    const most = 9_000_000_000_000_000_000n;
    await fundedAccount(db, most);
    await fundedAccount(db, most);
    await fundedAccount(db, 1n);
    await db.query("UPDATE ledger.accounts SET held_nano = credited_nano");
    await db.query(
      `INSERT INTO ledger.holds (account_id, hold_id, held_nano, created_at)
       SELECT account_id, gen_random_uuid(), held_nano, clock_timestamp() FROM ledger.accounts`,
    );
    const total = 2n * most + 1n;
    assert.deepEqual(await totalMoney(db), { balanceNano: total, heldNano: total });
  } finally {
    await database.drop();
  }
});
