/**
 * Guarantee: the books agree before a month is sealed, while it is, and when it is gone; and what of
 * a month that is gone does not agree any more is found.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client } from "pg";
import { newUuid, type Uuid } from "../../src/kernel/ids.ts";
import type { Nano } from "../../src/kernel/money.ts";
import { updateBudget } from "../../src/ledger/budgets.store.ts";
import { dropMonth, sealMonth } from "../../src/ledger/months.store.ts";
import { verify } from "../../src/ledger/verify.store.ts";
import { ageEntries } from "../support/age-entries.ts";
import { bookReceipts } from "../support/book-receipts.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { fillReceipts } from "../support/fill-receipts.ts";
import { newAccount, newKey } from "../support/new-customer.ts";
import { verifyPlanted } from "../support/verify-planted.ts";

/** One an hour, for more than three months. */
const REQUESTS = 100 * 24;
const PERIODS = ["total", "month", "day"] as const;

let database: TestDatabase;
let accountId: Uuid;
let keyIds: Uuid[];
/** The oldest first; all are over. */
let months: readonly string[];

before(async () => {
  database = await testDatabase();
  const { db } = database;
  accountId = await newAccount(db, "1000");
  keyIds = await Promise.all(PERIODS.map(async () => (await newKey(db, accountId)).key.keyId));
  await fillReceipts(database.url, {
    accountId,
    keyIds,
    models: ["one", "two"],
    count: REQUESTS,
    apart: "1 hour",
  });
  await bookLate();
  for (const [nth, period] of PERIODS.entries())
    await db.transaction((tx) =>
      updateBudget(tx, { budgetId: keyIds[nth] ?? "", limitNano: null, period }),
    );
  const rows = await db.query<{ month: string }>(
    `SELECT DISTINCT to_char(ledger.time_of(entry_id) AT TIME ZONE 'Europe/Moscow', 'YYYY-MM') AS month FROM ledger.entries
     WHERE ledger.time_of(entry_id) < date_trunc('month', (clock_timestamp() - interval '2 days') AT TIME ZONE 'Europe/Moscow') AT TIME ZONE 'Europe/Moscow'
     ORDER BY 1`,
  );
  months = rows.map(({ month }) => month);
});
after(async () => database.drop());

/** Requests that began in the month before and ended in this one, some days ago. */
async function bookLate(): Promise<void> {
  const { db } = database;
  for (const keyId of keyIds) {
    const [row] = await db.query<{ id: Uuid }>(
      `SELECT (left(ledger.first_id(ledger.period_start('month', clock_timestamp()) - interval '1 second')::text, 14) || right($1::text, 22))::uuid AS id`,
      [newUuid()],
    );
    const late = { requestId: row?.id ?? "", accountId, keyId, receipt: null };
    await bookReceipts(db, [{ ...late, chargeNano: 11n as Nano }]);
  }
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    await ageEntries(client, [accountId], "71 hours");
  } finally {
    await client.end();
  }
}

async function findings(): Promise<string[]> {
  const { mismatches } = await database.db.transaction(verify);
  return mismatches.map(
    ({ where, id, expected, found }) => `${where} ${id}: ${expected} / ${found}`,
  );
}

/** As an archiver whose file was found to be whole. */
async function drop(month: string): Promise<void> {
  await database.db.query(
    `UPDATE ledger.months SET state = 'archived', file = 'f', edition = 1, bytes = 1, sha256 = '00', archived_at = clock_timestamp()
     WHERE month = to_date($1, 'YYYY-MM')`,
    [month],
  );
  assert.equal(await database.db.transaction((tx) => dropMonth(tx, month)), true);
}

test("all agrees at each step of each month, and a charge after it, too", async () => {
  assert.ok(months.length >= 2, months.join(" "));
  assert.deepEqual(await findings(), []);
  for (const month of months) {
    const sealed = await database.db.transaction((tx) => sealMonth(tx, month));
    assert.equal(sealed.kind, "sealed", month);
    assert.deepEqual(await findings(), [], `${month} is sealed`);
    await drop(month);
    assert.deepEqual(await findings(), [], `${month} is gone`);
  }
  for (const keyId of keyIds)
    await bookReceipts(database.db, [
      { requestId: newUuid(), accountId, keyId, receipt: null, chargeNano: 7n as Nano },
    ]);
  assert.deepEqual(await findings(), []);
});

const PLANTS: Readonly<Record<string, readonly [sql: string, found: readonly string[]]>> = {
  "a seal that says that more was charged": [
    "UPDATE ledger.seals SET charged_nano = charged_nano + 1 WHERE month = (SELECT min(month) FROM ledger.months)",
    ["account.charged", "books.sum", "hour.charged"],
  ],
  "a seal that says that less was topped up": [
    "UPDATE ledger.seals SET topped_up_nano = topped_up_nano - 1 WHERE month = (SELECT min(month) FROM ledger.months)",
    ["account.credited", "books.sum"],
  ],
  "a seal of fewer entries": [
    "UPDATE ledger.seals SET entries = entries - 1 WHERE month = (SELECT min(month) FROM ledger.months)",
    ["account.numbers", "seal.entries"],
  ],
  "a seal of other entries": [
    "UPDATE ledger.seals SET numbers = numbers - 1 WHERE month = (SELECT min(month) FROM ledger.months)",
    ["account.numbers"],
  ],
  "a seal that ends too early": [
    "UPDATE ledger.seals SET last_no = last_no - 1 WHERE month = (SELECT max(month) FROM ledger.months)",
    ["entry.balance", "entry.number"],
  ],
  "a budget that was charged otherwise in a month that is gone": [
    "UPDATE ledger.budget_seals SET charged_nano = charged_nano + 1 WHERE month = (SELECT min(month) FROM ledger.months) AND budget_id = $1",
    ["budget.charged", "budget.periodCharged"],
  ],
  "hours that say otherwise than a month that is gone": [
    "UPDATE usage.hourly SET charged_nano = charged_nano + 1 WHERE ctid = (SELECT ctid FROM usage.hourly ORDER BY hour LIMIT 1)",
    ["hour.charged"],
  ],
};

for (const [fault, [sql, expected]] of Object.entries(PLANTS))
  test(`finds ${fault}`, async () => {
    const found = await verifyPlanted(database.db, (tx) =>
      tx.query(sql, sql.includes("$1") ? [keyIds[0]] : []),
    );
    const places = new Set<string>(found.map(({ where }) => where));
    assert.deepEqual([...places].toSorted(), expected);
  });
