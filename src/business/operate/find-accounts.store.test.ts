/**
 * What accounts spent comes from the daily sums and from the few entries that are not in them yet.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fundedAccount } from "../../../test/ledger/ledger-world.ts";
import { testDatabase } from "../../../test/support/database.ts";
import { rowsRead } from "../../../test/support/rows-read.ts";
import { spentByAccount } from "./find-accounts.store.ts";

/** Of each account, of the last hours; all but the last are counted. */
const ENTRIES = 4_000;
const CHARGE = `
  INSERT INTO ledger.entries (entry_id, kind, account_id, debit_id, credit_id, amount_nano, held_nano, released_nano, at, reference)
  SELECT gen_random_uuid(), 'charge', $1, $1, '00000000-0000-0000-0000-000000000002', 1, 1, 0, clock_timestamp(), 'chat' FROM generate_series(1, $2::integer)`;

test("entries that are counted are not read again, and those of other days do not count", async () => {
  const database = await testDatabase();
  try {
    const { db } = database;
    const accounts = [
      await fundedAccount(db, 1_000_000n),
      await fundedAccount(db, 1_000_000n),
      await fundedAccount(db, 1_000_000n),
    ];
    const [first, second, third] = accounts;
    for (const accountId of accounts) {
      await db.query(CHARGE, [accountId, ENTRIES]);
      await db.query(
        `INSERT INTO usage.folds (account_id, through_seq) SELECT account_id, max(seq) - CASE WHEN account_id = $2 THEN 1 ELSE 0 END
         FROM ledger.entries WHERE account_id = $1 GROUP BY account_id`,
        [accountId, first],
      );
      await db.query(
        `INSERT INTO usage.daily_spend (account_id, day, model, kind, charged_nano, ended, failed, input_tokens, cached_tokens, output_tokens)
         SELECT $1, (clock_timestamp() AT TIME ZONE 'Europe/Moscow')::date - days, '', 'chat', 500, 1, 0, 0, 0, 0 FROM unnest(ARRAY[0, 6, 7]) AS days`,
        [accountId],
      );
    }
    await db.query(
      "DELETE FROM usage.daily_spend WHERE account_id = $1 AND day > (clock_timestamp() AT TIME ZONE 'Europe/Moscow')::date - 7",
      [third],
    );
    await db.query("ANALYZE ledger.entries, usage.folds, usage.daily_spend");
    await db.transaction(async (tx) => {
      const read = await rowsRead(tx, "ledger.entries", async () => {
        assert.deepEqual(
          await spentByAccount(tx, accounts, 7),
          new Map([
            [first, 1001n],
            [second, 1000n],
          ]),
        );
      });
      assert.equal(read, 1);
    });
  } finally {
    await database.drop();
  }
});
