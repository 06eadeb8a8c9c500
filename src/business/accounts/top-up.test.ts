/**
 * Guards top-ups, on real PostgreSQL: X roubles credit exactly X, one reference credits once,
 * whatever runs at the same time.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { Fault } from "../../kernel/faults.ts";
import { newUuid } from "../../kernel/ids.ts";
import type { Nano } from "../../kernel/money.ts";
import { nano, parseRoubles } from "../../kernel/money.ts";
import { balance } from "../../ledger/accounts.store.ts";
import { createAccount } from "./create-account.ts";
import { topUp } from "./top-up.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(() => database.drop());

async function newAccount(): Promise<string> {
  const outcome = await createAccount(database.db, { name: "test", email: null, operator: false });
  assert.ok(outcome.kind === "created");
  return outcome.accountId;
}

function roubles(text: string): Nano {
  const amount = parseRoubles(text);
  assert.ok(amount !== null);
  return amount;
}

test("an amount is credited to the last nano-rouble", async () => {
  const accountId = await newAccount();
  let sum = 0n;
  for (const text of ["100", "0.000000001", "12.345678901", "999999.99"]) {
    const outcome = await topUp(database.db, {
      accountId,
      amountNano: roubles(text),
      reference: null,
    });
    sum += roubles(text);
    assert.ok(outcome.kind === "credited");
    assert.deepEqual([outcome.balance.availableNano, outcome.balance.creditedNano], [sum, sum]);
  }
});

test("the same reference credits once, also when both arrive at the same time", async () => {
  const accountId = await newAccount();
  const request = { accountId, amountNano: roubles("50"), reference: "invoice-1" };
  const outcomes = await Promise.all(Array.from({ length: 8 }, () => topUp(database.db, request)));
  assert.deepEqual(outcomes.map(({ kind }) => kind).toSorted(), [
    "credited",
    ...Array.from({ length: 7 }, () => "duplicate"),
  ]);
  assert.equal((await balance(database.db, accountId))?.availableNano, roubles("50"));
});

test("a reference that belongs to another top-up is told, and credits no account", async () => {
  const [one, two] = [await newAccount(), await newAccount()];
  await topUp(database.db, { accountId: one, amountNano: roubles("5"), reference: "invoice-2" });
  const other = await topUp(database.db, {
    accountId: two,
    amountNano: roubles("5"),
    reference: "invoice-2",
  });
  assert.deepEqual(other, {
    kind: "reference-taken",
    creditClass: "paid",
    accountId: one,
    amountNano: roubles("5"),
  });
  const more = await topUp(database.db, {
    accountId: one,
    amountNano: roubles("6"),
    reference: "invoice-2",
  });
  assert.equal(more.kind, "reference-taken");
  assert.deepEqual(
    [
      (await balance(database.db, one))?.availableNano,
      (await balance(database.db, two))?.availableNano,
    ],
    [roubles("5"), 0n],
  );
});

test("without a reference every call credits", async () => {
  const accountId = await newAccount();
  for (let index = 0; index < 3; index++)
    await topUp(database.db, { accountId, amountNano: roubles("1"), reference: null });
  assert.equal((await balance(database.db, accountId))?.availableNano, roubles("3"));
});

test("an unknown account is told; amounts and references that cannot be are refused", async () => {
  for (const accountId of [newUuid(), "not-an-id", ""]) {
    assert.deepEqual(
      await topUp(database.db, { accountId, amountNano: roubles("1"), reference: null }),
      { kind: "unknown-account" },
    );
  }
  const accountId = await newAccount();
  for (const [amountNano, reference] of [
    [nano(0n), null],
    [nano(-1n), null],
    [roubles("1000000000.000000001"), null],
    [roubles("1"), " "],
    [roubles("1"), "x".repeat(201)],
    [roubles("1"), "a\nb"],
  ] as const) {
    await assert.rejects(
      topUp(database.db, { accountId, amountNano, reference }),
      (error) => error instanceof Fault && error.code === "invalid_request",
    );
  }
  assert.equal((await balance(database.db, accountId))?.availableNano, 0n);
  assert.equal(
    (await topUp(database.db, { accountId, amountNano: roubles("1000000000"), reference: null }))
      .kind,
    "credited",
  );
});
