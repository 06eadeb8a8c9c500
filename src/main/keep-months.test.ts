/**
 * Guarantee: a gateway that runs makes the months of its entries ahead, and what keeps it from that
 * is reported and does not stop it.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { until } from "../../test/support/until.ts";
import { Fault } from "../kernel/faults.ts";
import { verify } from "../ledger/verify.store.ts";
import { keepMonths } from "./keep-months.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(async () => database.drop());

const deps = () => ({
  db: database.db,
  kept: { taskEvents: null, webhooks: null, audit: null },
  onDropped: () => assert.fail("nothing is old"),
});

/** Of the running month, and of the three behind it, those that are there. */
async function monthsAhead(): Promise<boolean[]> {
  const rows = await database.db.query<{ there: boolean }>(
    `SELECT to_regclass('ledger.entries_' || to_char(clock_timestamp() AT TIME ZONE 'Europe/Moscow' + n * interval '1 month', 'YYYY_MM')) IS NOT NULL AS there
     FROM generate_series(0, 3) AS n ORDER BY n`,
  );
  return rows.map(({ there }) => there);
}

async function dropMonths(...ahead: readonly number[]): Promise<void> {
  await database.db.query(
    `DO $$ DECLARE n integer; BEGIN
       FOREACH n IN ARRAY ARRAY[${ahead.join(", ")}] LOOP
         EXECUTE format('DROP TABLE ledger.entries_%s', to_char(clock_timestamp() AT TIME ZONE 'Europe/Moscow' + n * interval '1 month', 'YYYY_MM'));
       END LOOP; END $$`,
  );
}

/** What the hourly verification says of the months. */
async function findings(): Promise<string[]> {
  const { mismatches } = await database.db.transaction(verify);
  return mismatches.map(({ where, expected, found }) => `${where}: ${expected} / ${found}`);
}

test("months that are missing are made at the start", async () => {
  await dropMonths(1, 2, 3);
  assert.deepEqual(await monthsAhead(), [true, false, false, false]);
  assert.deepEqual(await findings(), [
    "months.ahead: a place for entries of the next months: 2 / 0",
  ]);
  const work = keepMonths({ ...deps(), onError: (what) => assert.fail(what) });
  await until("they are there", async () => (await monthsAhead()).every(Boolean));
  await work.stop();
  assert.deepEqual(await findings(), []);
});

test("while somebody reads all entries for long it is reported, and the next start makes them", async () => {
  const { db } = database;
  await dropMonths(3);
  const read = Promise.withResolvers<void>();
  const leave = Promise.withResolvers<void>();
  const reader = db.transaction(async (tx) => {
    await tx.query("SELECT count(*) FROM ledger.entries");
    read.resolve();
    await leave.promise;
  });
  await read.promise;
  const reported: unknown[] = [];
  await keepMonths({
    ...deps(),
    onError: (what, error) => void reported.push(what, error),
  }).stop();
  assert.equal(reported[0], "the months of the ledger could not be made");
  assert.ok(reported[1] instanceof Fault && reported[1].code === "overloaded", String(reported[1]));
  assert.deepEqual(await monthsAhead(), [true, true, true, false]);
  assert.deepEqual(await findings(), [], "two months are enough for now");
  leave.resolve();
  await reader;
  await keepMonths({ ...deps(), onError: (what) => assert.fail(what) }).stop();
  assert.deepEqual(await monthsAhead(), [true, true, true, true]);
});
