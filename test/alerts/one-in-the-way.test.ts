/**
 * Protects: an account that cannot be looked at keeps no other from its alerts, though they are
 * looked at together.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../support/database.ts";
import { until } from "../support/until.ts";
import { alertHands } from "./alert-hands.ts";
import { charge, openAlertWorld } from "./alert-world.ts";

test("accounts that moved together with one whose sums cannot be counted are alerted all the same", async () => {
  const database = await testDatabase();
  const world = await openAlertWorld({ databaseUrl: database.url });
  try {
    const { newOwner, add, log } = alertHands(database, world);
    const owners = [await newOwner("100"), await newOwner("100"), await newOwner("100")];
    for (const owner of owners) await add(owner, { kind: "balance_below", threshold: "50" });
    const [first, broken, last] = owners.toSorted((a, b) => (a.accountId < b.accountId ? -1 : 1));
    assert.ok(first !== undefined && broken !== undefined && last !== undefined);
    // Whatever is added to it is out of range.
    await database.db.query(
      `INSERT INTO alerts.spend (account_id, subject_id, grain, bucket, charged_nano)
       SELECT $1, $1, 'ten_minutes', date_bin('10 minutes', clock_timestamp() + shift, timestamptz '2000-01-01 00:00:00+00'), 9223372036854775807
       FROM unnest(ARRAY[interval '0', interval '10 minutes']) AS shift`,
      [broken.accountId],
    );
    // All in one moment, so that they are looked at together.
    await Promise.all(
      [first, broken, last].map(({ accountId }) => charge(database.db, accountId, "60")),
    );
    await until(
      "both others are alerted",
      async () => (await log(first)).length === 1 && (await log(last)).length === 1,
    );
    assert.equal((await log(broken)).length, 0);
    await until("the trouble is reported", async () => world.troubles.length > 0);
    // It is tried again, and works as soon as it can.
    await database.db.query("DELETE FROM alerts.spend WHERE subject_id = $1", [broken.accountId]);
    await until("the broken one is alerted", async () => (await log(broken)).length === 1);
    assert.deepEqual([(await log(first)).length, (await log(last)).length], [1, 1]);
  } finally {
    await world.close();
    await database.drop();
  }
});
