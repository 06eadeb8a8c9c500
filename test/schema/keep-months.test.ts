/**
 * Guarantee: an entry stands in the month of its id, of Moscow, and each month has its partition
 * before it begins, however many make it and whatever else is under way.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { newUuid, type Uuid } from "../../src/kernel/ids.ts";
import type { Nano } from "../../src/kernel/money.ts";
import { verify } from "../../src/ledger/verify.store.ts";
import { fundedAccount } from "../ledger/ledger-world.ts";
import { bookReceipts } from "../support/book-receipts.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { until } from "../support/until.ts";

/** As the database room names a lock that was not got in time. */
const NOT_IN_TIME = "overloaded";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(async () => database.drop());

function keepMonths(from: string, to: string): Promise<unknown> {
  return database.db.query("SELECT ledger.keep_months($1::date, $2::date)", [from, to]);
}

async function months(pattern: string): Promise<string[]> {
  const rows = await database.db.query<{ name: string }>(
    "SELECT relid::text AS name FROM pg_partition_tree('ledger.entries') WHERE isleaf AND relid::text LIKE $1 ORDER BY 1",
    [pattern],
  );
  return rows.map(({ name }) => name);
}

/** An id of this moment. */
async function idOf(moment: string): Promise<Uuid> {
  const [row] = await database.db.query<{ id: Uuid }>(
    "SELECT (left(ledger.first_id($1::timestamptz)::text, 14) || right($2::text, 22))::uuid AS id",
    [moment, newUuid()],
  );
  assert.ok(row !== undefined);
  return row.id;
}

/** A request of this id that cost something, and something more that was lost, and ended now. */
async function book(requestId: Uuid): Promise<Uuid> {
  const accountId = await fundedAccount(database.db, 10n);
  await bookReceipts(database.db, [
    {
      requestId,
      accountId,
      keyId: null,
      receipt: null,
      chargeNano: 3n as Nano,
      lossNano: 2n as Nano,
    },
  ]);
  return accountId;
}

/** Where the account's entries of this kind stand. */
async function placesOf(accountId: Uuid, kind: string): Promise<string[]> {
  const rows = await database.db.query<{ place: string }>(
    "SELECT tableoid::regclass::text AS place FROM ledger.entries WHERE account_id = $1 AND kind = $2::ledger.entry_kind",
    [accountId, kind],
  );
  return rows.map(({ place }) => place);
}

test("the year ends in Moscow: each entry, and its loss, stands in the month of its id", async () => {
  await keepMonths("2030-12-15", "2031-01-01");
  const sides = [
    ["2030-12-31T20:59:59.999Z", "ledger.entries_2030_12"],
    ["2030-12-31T21:00:00.000Z", "ledger.entries_2031_01"],
  ] as const;
  for (const [moment, month] of sides) {
    const accountId = await book(await idOf(moment));
    assert.deepEqual(await placesOf(accountId, "charge"), [month], moment);
    assert.deepEqual(await placesOf(accountId, "loss"), [month], moment);
  }
});

test("a request that begins in one month and ends in the next stands where it began, once", async () => {
  const [now] = await database.db.query<{ begin: string; month: string; there: string }>(
    `SELECT (begin - interval '1 second')::text AS begin, to_char(month - interval '1 month', '"ledger.entries_"YYYY_MM') AS month,
       to_char(month, '"ledger.entries_"YYYY_MM') AS there
     FROM (SELECT month, month AT TIME ZONE 'Europe/Moscow' AS begin
           FROM (SELECT date_trunc('month', clock_timestamp() AT TIME ZONE 'Europe/Moscow') AS month) m) b`,
  );
  assert.ok(now !== undefined);
  const requestId = await idOf(now.begin);
  const accountId = await book(requestId);
  assert.deepEqual(await placesOf(accountId, "charge"), [now.month]);
  assert.deepEqual(await placesOf(accountId, "loss"), [now.month]);
  assert.deepEqual(await placesOf(accountId, "topup"), [now.there]);
  const numbers = await database.db.query(
    "SELECT entry_no::int AS no, kind::text, balance_nano::int AS balance FROM ledger.entries WHERE account_id = $1 ORDER BY entry_no",
    [accountId],
  );
  assert.deepEqual(numbers, [
    { no: 1, kind: "topup", balance: 10 },
    { no: 2, kind: "charge", balance: 7 },
    { no: 3, kind: "loss", balance: 7 },
  ]);
  await assert.rejects(
    database.db.query(
      "INSERT INTO ledger.entries SELECT * FROM ledger.entries WHERE entry_id = $1",
      [requestId],
    ),
    /duplicate key value violates unique constraint/,
  );
});

test("an id of no month is booked all the same, with the others", async () => {
  const accountId = await book("7a0c3a3e-8a51-4a3e-9d0b-6b7d2a3c4d5e");
  assert.deepEqual(await placesOf(accountId, "charge"), ["ledger.entries_other"]);
  assert.deepEqual(await placesOf(accountId, "loss"), ["ledger.entries_other"]);
});

test("however many ask at once, each month is made once", async () => {
  await Promise.all(Array.from({ length: 8 }, () => keepMonths("2032-01-31", "2032-06-01")));
  const made = ["01", "02", "03", "04", "05", "06"].map((month) => `ledger.entries_2032_${month}`);
  assert.deepEqual(await months("ledger.entries_2032_%"), made);
  await keepMonths("2032-06-30", "2032-06-01");
  assert.deepEqual(await months("ledger.entries_2032_%"), made, "no month lies between");
});

test("a month that entries_other has entries of is refused, and they stay", async () => {
  const accountId = await book(await idOf("2033-03-10T12:00:00Z"));
  await assert.rejects(keepMonths("2033-03-01", "2033-03-31"), /updated partition constraint/);
  assert.deepEqual(await months("ledger.entries_2033_%"), []);
  assert.deepEqual(await placesOf(accountId, "charge"), ["ledger.entries_other"]);
});

test("while a long snapshot reads all of it, a month waits, and entries go on being written", async () => {
  const { db } = database;
  const read = Promise.withResolvers<void>();
  const leave = Promise.withResolvers<void>();
  const reader = db.transaction(async (tx) => {
    await tx.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    await tx.query("SELECT count(*) FROM ledger.entries");
    read.resolve();
    await leave.promise;
  });
  await read.promise;
  let refused = false;
  const kept = assert
    .rejects(
      db.transaction(async (tx) => {
        await tx.query("SET LOCAL lock_timeout = '1500ms'");
        await tx.query("SELECT ledger.keep_months('2034-01-01', '2034-01-01')");
      }),
      { code: NOT_IN_TIME },
    )
    .then(() => {
      refused = true;
    });
  await until("it waits", async () => {
    const waiting = await db.query(
      "SELECT FROM pg_locks WHERE NOT granted AND relation IS NOT NULL",
    );
    return waiting.length > 0;
  });
  const accountId = await book(newUuid());
  assert.equal(refused, false, "booked while the month waits");
  await kept;
  await book(newUuid());
  leave.resolve();
  await reader;
  await keepMonths("2034-01-01", "2034-01-01");
  assert.deepEqual(await months("ledger.entries_2034_%"), ["ledger.entries_2034_01"]);
  assert.equal((await placesOf(accountId, "charge")).length, 1);
  const { mismatches } = await db.transaction(verify);
  assert.deepEqual(
    mismatches.map(({ where, found }) => `${where}: ${found}`),
    ["months.other: entries of no month: 4"],
  );
});
