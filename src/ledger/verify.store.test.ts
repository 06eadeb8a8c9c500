/**
 * `tollgate ledger verify` finds every kind of disagreement: each is planted in a ledger whose
 * walls were taken down.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { exactHold, fundedAccount, newBudget } from "../../test/ledger/ledger-world.ts";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { queryableThrough } from "../../test/support/queryable-through.ts";
import type { Queryable, Tx } from "../db/database.ts";
import { newUuid, type Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";
import { holdIn, settleIn } from "./holds.store.ts";
import { verify, type Verification } from "./verify.store.ts";

let database: TestDatabase;
let accountId: Uuid;
let budgetId: Uuid;
let charged: Uuid;
let held: Uuid;

before(async () => {
  database = await testDatabase();
  const { db } = database;
  accountId = await fundedAccount(db, 1_000n);
  budgetId = await newBudget(db, accountId, 500n, "month");
  const requests = [
    exactHold(accountId, 100n, { budgetId }),
    exactHold(accountId, 50n, { budgetId }),
  ];
  for (const request of requests) await holdIn(db, request);
  [charged = "", held = ""] = requests.map((request) => request.holdId);
  await settleIn(db, { accountId, holdId: charged, chargeNano: 60n as Nano, lossNano: 5n as Nano });
  await db.query("GRANT UPDATE, DELETE ON ledger.entries TO CURRENT_USER");
  await db.query("ALTER TABLE ledger.entries DISABLE TRIGGER append_only, DROP CONSTRAINT adds_up");
  await db.query("ALTER TABLE ledger.accounts DROP CONSTRAINT never_overspent");
  await db.query("ALTER TABLE ledger.budgets DROP CONSTRAINT limit_kept");
});
after(async () => database.drop());

class Undo extends Error {}

/** What verify says after `sql`, which is undone again. */
async function verifyAfter(sql: string, params: readonly unknown[] = []): Promise<string[]> {
  let found: Verification | undefined;
  const planted = database.db.transaction(async (tx) => {
    await tx.query(sql, params);
    found = await verify(withoutSnapshot(tx));
    throw new Undo();
  });
  await assert.rejects(planted, Undo);
  return (found?.mismatches ?? []).map((mismatch) => `${mismatch.where} ${mismatch.id}`);
}

/** The planted fault is uncommitted, so it is looked for inside the transaction that planted it. */
function withoutSnapshot(tx: Tx): Queryable {
  return queryableThrough(async (text, parameters) =>
    text.startsWith("SET TRANSACTION") ? [] : tx.query(text, parameters),
  );
}

test("a sound ledger has no mismatches, and the counts say what was looked at", async () => {
  assert.deepEqual(await database.db.transaction(verify), {
    checked: { accounts: 1n, budgets: 1n, holds: 1n, entries: 3n },
    mismatches: [],
  });
});

const plants: readonly [string, () => Promise<string[]>, () => readonly string[]][] = [
  [
    "an account credited without an entry",
    () => verifyAfter("UPDATE ledger.accounts SET credited_nano = credited_nano + 1"),
    () => [`account.credited ${accountId}`, "books.sum all"],
  ],
  [
    "an account charged otherwise than its entries say",
    () => verifyAfter("UPDATE ledger.accounts SET charged_nano = charged_nano - 1"),
    () => [`account.charged ${accountId}`, "books.sum all"],
  ],
  [
    "an account that holds otherwise than its holds say",
    () => verifyAfter("UPDATE ledger.accounts SET held_nano = held_nano + 1"),
    () => [`account.held ${accountId}`],
  ],
  [
    "an account that spent more than it has",
    () => verifyAfter("UPDATE ledger.holds SET held_nano = 5000"),
    () => [
      `account.available ${accountId}`,
      `account.held ${accountId}`,
      `budget.held ${budgetId}`,
      `budget.limit ${budgetId}`,
    ],
  ],
  [
    "a budget charged otherwise than its entries say",
    () => verifyAfter("UPDATE ledger.budgets SET charged_nano = charged_nano + 1"),
    () => [`budget.charged ${budgetId}`],
  ],
  [
    "a budget's period charged otherwise than its entries say",
    () => verifyAfter("UPDATE ledger.budgets SET period_charged_nano = 0"),
    () => [`budget.periodCharged ${budgetId}`],
  ],
  [
    "a budget that holds otherwise than its holds say",
    () => verifyAfter("UPDATE ledger.budgets SET held_nano = 0"),
    () => [`budget.held ${budgetId}`],
  ],
  [
    "a budget above its limit",
    () => verifyAfter("UPDATE ledger.budgets SET limit_nano = 109"),
    () => [`budget.limit ${budgetId}`],
  ],
  [
    "an entry that was removed",
    () => verifyAfter("DELETE FROM ledger.entries WHERE entry_id = $1", [charged]),
    () => [
      `account.charged ${accountId}`,
      `budget.charged ${budgetId}`,
      `budget.periodCharged ${budgetId}`,
      "books.sum all",
    ],
  ],
  [
    "an entry whose amount was changed",
    () => verifyAfter("UPDATE ledger.entries SET amount_nano = 61 WHERE entry_id = $1", [charged]),
    () => [
      `account.charged ${accountId}`,
      `budget.charged ${budgetId}`,
      `budget.periodCharged ${budgetId}`,
      `entry.amounts ${charged}`,
      "books.sum all",
    ],
  ],
  [
    "a closing that does not add up",
    () =>
      verifyAfter("UPDATE ledger.entries SET released_nano = 41 WHERE entry_id = $1", [charged]),
    () => [`entry.amounts ${charged}`],
  ],
  [
    "an entry of an account that is not there",
    () =>
      verifyAfter("UPDATE ledger.entries SET account_id = $2 WHERE entry_id = $1", [
        charged,
        newUuid(),
      ]),
    () => [`entry.books ${charged}`, `entry.budget ${charged}`],
  ],
  [
    "an entry without its counterpart",
    () =>
      verifyAfter("UPDATE ledger.entries SET credit_id = $2 WHERE entry_id = $1", [
        charged,
        newUuid(),
      ]),
    () => [`entry.books ${charged}`],
  ],
  [
    "an entry in a budget that is not there",
    () =>
      verifyAfter("UPDATE ledger.entries SET budget_id = $2 WHERE entry_id = $1", [
        charged,
        newUuid(),
      ]),
    () => [
      `budget.charged ${budgetId}`,
      `budget.periodCharged ${budgetId}`,
      `entry.budget ${charged}`,
    ],
  ],
  [
    "a hold of an account that is not there",
    () =>
      verifyAfter("UPDATE ledger.holds SET account_id = $2 WHERE hold_id = $1", [held, newUuid()]),
    () => [`account.held ${accountId}`, `hold.account ${held}`, `hold.budget ${held}`],
  ],
  [
    "a hold in a budget that is not there",
    () =>
      verifyAfter("UPDATE ledger.holds SET budget_id = $2 WHERE hold_id = $1", [held, newUuid()]),
    () => [`budget.held ${budgetId}`, `hold.budget ${held}`],
  ],
  [
    "a hold that has ended already",
    () => verifyAfter("UPDATE ledger.holds SET hold_id = $2 WHERE hold_id = $1", [held, charged]),
    () => [`hold.ended ${charged}`],
  ],
];
for (const [fault, plant, expected] of plants) {
  test(`finds ${fault}`, async () => {
    assert.deepEqual((await plant()).toSorted(), [...expected()].toSorted());
  });
}
