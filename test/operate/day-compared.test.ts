/**
 * Guarantee: today stands beside the same hours of yesterday and of a week ago, and beside no others;
 * what came in counts by when it did.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { readOperatorOverview } from "../../src/business/operate/read-operator-overview.ts";
import { createLiveCatalogue, type LiveCatalogue } from "../../src/catalogue/live-catalogue.ts";
import { newestVersion } from "../../src/catalogue/store.ts";
import type { OperatorOverview } from "../../src/contract/panel/operator-overview.ts";
import { applyCatalogue } from "../../src/business/operate/apply-catalogue.ts";
import { commandActor } from "../../src/business/operate/operator.ts";
import { newUuid, type Uuid } from "../../src/kernel/ids.ts";
import { nano } from "../../src/kernel/money.ts";
import { bookReceipts } from "../support/book-receipts.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";

// Sold for less than it costs.
const SOURCE = `
upstreams:
  up: { protocol: openai, baseUrl: "http://127.0.0.1:9", apiKeyEnv: KEY }
models:
  losing: { type: chat, endpoints: [chat.completions], contextTokens: 20000, maxOutputTokens: 1000, price: { input: "100", output: "1000" },
            routes: [{ upstream: up, model: a, cost: { input: "110", output: "500" } }] }
  earning: { type: chat, endpoints: [chat.completions], contextTokens: 20000, maxOutputTokens: 1000, price: { input: "100", output: "1000" },
             routes: [{ upstream: up, model: b, cost: { input: "50", output: "500" } }] }
`;
const ENV = { KEY: "a key" };
const ROUBLE = 1_000_000_000n;

let database: TestDatabase;
let catalogue: LiveCatalogue;
before(async () => {
  database = await testDatabase();
  const { db } = database;
  await applyCatalogue(db, {
    source: SOURCE,
    env: ENV,
    appliedBy: "test",
    actor: commandActor("test"),
    allowLoss: true,
  });
  catalogue = await createLiveCatalogue({
    load: (above) => newestVersion(db, above),
    env: ENV,
    onRejected: () => undefined,
    onChanged: () => undefined,
    onError: () => undefined,
  });
});
after(async () => {
  catalogue.close();
  await database.drop();
});

const overview = (): Promise<OperatorOverview> =>
  readOperatorOverview({ db: database.db, catalogue });

/** A charge of so many roubles, in an hour counted from the beginning of the day `daysBack` ago. */
async function chargeAt(roubles: bigint, daysBack: number, hour: number): Promise<Uuid> {
  const { db } = database;
  const accountId = newUuid();
  await bookReceipts(db, [
    {
      requestId: newUuid(),
      accountId,
      keyId: null,
      receipt: null,
      chargeNano: nano(roubles * ROUBLE),
    },
  ]);
  await db.query(
    `UPDATE usage.hourly SET hour =
       (date_trunc('day', clock_timestamp() AT TIME ZONE 'Europe/Moscow') + $2 * interval '1 hour' - $3 * interval '1 day') AT TIME ZONE 'Europe/Moscow'
     WHERE account_id = $1`,
    [accountId, hour, daysBack],
  );
  return accountId;
}

test("hours that are over are compared with the same of other days; the hours of each day stand by themselves", async () => {
  await chargeAt(1n, 0, 0);
  await chargeAt(2n, 1, 0);
  await chargeAt(4n, 7, 0);
  await chargeAt(8n, 1, 23);
  await chargeAt(16n, 2, 0);
  const { today, compared, hours } = await overview();
  assert.equal(today.revenue, "1");
  assert.deepEqual(
    [hours[0], hours[23]].map((hour) => [hour?.yesterday, hour?.weekAgo]),
    [
      ["2", "4"],
      ["8", "0"],
    ],
  );
  assert.equal(hours[0]?.today, "1");
  // Within the first hour of a day nothing is over.
  if (compared !== null) {
    assert.deepEqual(
      [compared.today.revenue, compared.yesterday.revenue, compared.weekAgo.revenue],
      ["1", "2", "4"],
    );
    assert.equal(hours.filter((hour) => hour.today !== null).length, compared.hours + 1);
  }
});

test("top-ups, gifts and new accounts count by their own moment, and a trial is no top-up", async () => {
  const { db } = database;
  const known = (await overview()).today;
  const add = (kind: "paid" | "trial", roubles: bigint, age: string) =>
    db.query(
      `INSERT INTO directory.transfers (kind, reference, account_id, entry_id, amount_nano, class)
       VALUES ('topup', gen_random_uuid()::text, gen_random_uuid(), ledger.first_id(clock_timestamp() - $1::interval), $2, $3)`,
      [age, String(roubles * ROUBLE), kind],
    );
  await add("paid", 100n, "10 milliseconds");
  await add("paid", 30n, "48 hours");
  await add("trial", 5n, "10 milliseconds");
  await db.query(
    "INSERT INTO accounts.accounts (account_id, name) SELECT ledger.first_id(clock_timestamp() - age), 'new' FROM unnest('{10 milliseconds,48 hours}'::interval[]) AS a (age)",
  );
  const { today } = await overview();
  assert.deepEqual(
    [
      Number(today.topUps) - Number(known.topUps),
      today.topUpCount - known.topUpCount,
      Number(today.given) - Number(known.given),
      today.newAccounts - known.newAccounts,
    ],
    [100, 1, 5, 1],
  );
});

test("what the payment provider refunded is told, and is no money that came in", async () => {
  const { db } = database;
  const known = (await overview()).today;
  const [accountId, entryId] = [newUuid(), newUuid()];
  await db.query(
    `INSERT INTO directory.transfers (kind, reference, account_id, entry_id, amount_nano, class)
     VALUES ('topup', gen_random_uuid()::text, $1, $2, $3, 'paid')`,
    [accountId, entryId, String(100n * ROUBLE)],
  );
  const pay = (entry: Uuid, refunded: bigint) =>
    db.query(
      `INSERT INTO payments.payments (account_id, payment_id, provider, method, locale, amount_nano, return_url, state, provider_payment_id, entry_id, refunded_nano, ended_at)
       VALUES ($1, gen_random_uuid(), 'yookassa', 'sbp', 'ru', $2, 'https://x.example/', 'succeeded', 'x', $3, $4, clock_timestamp())`,
      [accountId, String(100n * ROUBLE), entry, String(refunded * ROUBLE)],
    );
  await pay(entryId, 70n);
  // Of another day's top-up.
  await pay(newUuid(), 20n);
  const { today } = await overview();
  assert.deepEqual(
    [
      Number(today.topUps) - Number(known.topUps),
      Number(today.refunded) - Number(known.refunded),
      today.topUpCount - known.topUpCount,
      today.revenue,
    ],
    [30, 70, 1, known.revenue],
  );
});

test("models below cost and payments that do not match are named until they are mended", async () => {
  const { db } = database;
  const fail = (age: string) =>
    db.query(
      `INSERT INTO payments.payments (account_id, payment_id, provider, method, locale, amount_nano, return_url, state, reason, ended_at)
       VALUES (gen_random_uuid(), gen_random_uuid(), 'yookassa', 'sbp', 'ru', 10000000, 'https://x.example/', 'failed', 'mismatch', clock_timestamp() - $1::interval)`,
      [age],
    );
  await fail("1 hour");
  await fail("30 days");
  const { belowCost, payments } = await overview();
  assert.deepEqual([belowCost, payments], [["losing"], { unmatched: 1, late: 0 }]);
});
