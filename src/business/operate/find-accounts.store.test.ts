/** What accounts spent comes from the sums of hours: no entry is read for it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { bookReceipts } from "../../../test/support/book-receipts.ts";
import { testDatabase } from "../../../test/support/database.ts";
import { newUuid } from "../../kernel/ids.ts";
import { nano } from "../../kernel/money.ts";
import { keepDays } from "../panel/account/keep-days.ts";
import { spentByAccount } from "./find-accounts.store.ts";

test("what is charged counts from the first day on, whatever the hour, and other days do not", async () => {
  const database = await testDatabase();
  try {
    const { db } = database;
    const [first, second, third] = [newUuid(), newUuid(), newUuid()];
    const charge = { keyId: null, receipt: null, chargeNano: nano(500n) };
    for (const accountId of [first, second, third])
      await bookReceipts(db, [{ ...charge, requestId: newUuid(), accountId }]);
    const move = async (accountId: string, hour: string) =>
      db.query(
        `UPDATE usage.hourly SET hour = (${hour}) AT TIME ZONE 'Europe/Moscow' WHERE account_id = $1`,
        [accountId],
      );
    const today = "date_trunc('day', clock_timestamp() AT TIME ZONE 'Europe/Moscow')";
    await move(second, `${today} - interval '6 days'`);
    await move(third, `${today} - interval '6 days 1 hour'`);
    await bookReceipts(db, [{ ...charge, requestId: newUuid(), accountId: first }]);
    for (const kept of [false, true]) {
      if (kept) await keepDays(db);
      assert.deepEqual(
        await spentByAccount(db, [first, second, third], 7),
        new Map([
          [first, 1000n],
          [second, 500n],
        ]),
      );
    }
  } finally {
    await database.drop();
  }
});
