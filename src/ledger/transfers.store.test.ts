/**
 * Money from outside: once per reference, never below what is charged or held, and listed with the
 * balance after each entry (hazards §28).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { exactHold, fundedAccount } from "../../test/ledger/ledger-world.ts";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { fillReceipts } from "../../test/support/fill-receipts.ts";
import { rowsRead } from "../../test/support/rows-read.ts";
import { newUuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";
import { balance, balances, openAccount } from "./accounts.store.ts";
import { openBudget } from "./budgets.store.ts";
import { listEntries, type Entry } from "./entries.store.ts";
import { holdIn, settleIn } from "./holds.store.ts";
import { adjust, credit } from "./transfers.store.ts";
import { verify } from "./verify.store.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(async () => {
  const { mismatches } = await database.db.transaction(verify);
  await database.drop();
  assert.deepEqual(mismatches, []);
});

const nanos = (value: bigint): Nano => value as Nano;

test("the same reference credits once, also 40 times at the same moment, and the repetition names what it made (hazards §28)", async () => {
  const accountId = await fundedAccount(database.db, 0n);
  const payment = {
    accountId,
    amountNano: nanos(500n),
    reference: "payment 1",
    kind: "topup",
  } as const;
  const verdicts = await Promise.all(
    Array.from({ length: 40 }, () => database.db.transaction((tx) => credit(tx, payment))),
  );
  const made = verdicts.filter((verdict) => verdict.kind === "credited");
  assert.equal(made.length, 1);
  const other = await fundedAccount(database.db, 0n);
  const again = await credit(database.db, { ...payment, accountId: other, amountNano: nanos(7n) });
  assert.deepEqual(again, {
    kind: "duplicate",
    entryId: made[0]?.entryId,
    accountId,
    amountNano: 500n,
    creditClass: "paid",
  });
  assert.equal((await balance(database.db, accountId))?.balanceNano, 500n);
  assert.equal((await balance(database.db, other))?.balanceNano, 0n);
});

test("an unknown account gets nothing, and is not opened by it", async () => {
  const accountId = newUuid();
  assert.equal(
    (
      await credit(database.db, {
        accountId,
        amountNano: nanos(1n),
        reference: "lost",
        kind: "topup",
      })
    ).kind,
    "unknown-account",
  );
  assert.equal(
    (await adjust(database.db, { accountId, amountNano: nanos(1n), reference: "lost", note: "" }))
      .kind,
    "unknown-account",
  );
  assert.equal(await balance(database.db, accountId), null);
});

test("an adjustment may take what is available and not a nano more; its repetition is a duplicate even when nothing is left", async () => {
  const accountId = await fundedAccount(database.db, 100n);
  await holdIn(database.db, exactHold(accountId, 30n));
  const taking = (amount: bigint, reference: string) =>
    database.db.transaction((tx) =>
      adjust(tx, { accountId, amountNano: nanos(-amount), reference, note: "mistake" }),
    );
  assert.deepEqual(await taking(71n, "a"), { kind: "insufficient-balance", availableNano: 70n });
  assert.equal((await taking(70n, "a")).kind, "adjusted");
  assert.equal((await taking(70n, "a")).kind, "duplicate");
  assert.equal((await balance(database.db, accountId))?.availableNano, 0n);
});

test("opening an account again changes nothing", async () => {
  const accountId = await fundedAccount(database.db, 9n);
  await openAccount(database.db, accountId);
  assert.equal(
    (await balances(database.db, [accountId, newUuid()])).get(accountId)?.balanceNano,
    9n,
  );
});

test("the list is newest first, page by page without gaps, each entry with the balance after it, while new entries arrive", async () => {
  const accountId = await fundedAccount(database.db, 1_000n);
  for (let i = 1n; i <= 6n; i++) {
    const request = exactHold(accountId, 100n);
    await holdIn(database.db, request);
    await settleIn(database.db, {
      accountId,
      holdId: request.holdId,
      chargeNano: nanos(i % 3n === 0n ? 0n : i),
      lossNano: nanos(i === 5n ? 3n : 0n),
    });
  }
  await adjust(database.db, {
    accountId,
    amountNano: nanos(-8n),
    reference: newUuid(),
    note: "refund elsewhere",
  });
  const read = async (moneyOnly: boolean): Promise<Entry[]> => {
    const entries: Entry[] = [];
    let cursor: string | null = null;
    do {
      const page = await listEntries(database.db, { accountId, limit: 2, cursor, moneyOnly });
      assert.ok(page !== null);
      entries.push(...page.entries);
      cursor = page.nextCursor;
      await credit(database.db, {
        accountId,
        amountNano: nanos(1n),
        reference: newUuid(),
        kind: "topup",
      });
    } while (cursor !== null);
    return entries;
  };
  const all = await read(false);
  assert.deepEqual(all.map((entry) => entry.kind).toSorted(), [
    "adjust",
    "charge",
    "charge",
    "charge",
    "charge",
    "loss",
    "release",
    "release",
    "topup",
  ]);
  assert.deepEqual([all[0]?.balanceAfterNano, all.at(-1)?.balanceAfterNano], [980n, 1_000n]);
  for (const [index, entry] of all.entries())
    assert.equal(entry.balanceAfterNano - entry.changeNano, all[index + 1]?.balanceAfterNano ?? 0n);
  const money = (await read(true)).filter((entry) => entry.changeNano !== 1n);
  assert.deepEqual(
    money.map((entry) => [entry.changeNano, entry.balanceAfterNano - entry.changeNano]),
    [
      [-8n, 988n],
      [-5n, 993n],
      [-4n, 997n],
      [-2n, 999n],
      [-1n, 1_000n],
      [1_000n, 0n],
    ],
  );
  assert.equal(
    await listEntries(database.db, { accountId, limit: 2, cursor: "nonsense", moneyOnly: false }),
    null,
  );
});

test("entries of one kind keep the balances that they have among all, page by page, and are counted alone", async () => {
  const accountId = await fundedAccount(database.db, 1_000n);
  for (let i = 1n; i <= 4n; i++) {
    const request = exactHold(accountId, 100n);
    await holdIn(database.db, request);
    await settleIn(database.db, {
      accountId,
      holdId: request.holdId,
      chargeNano: nanos(i % 2n === 0n ? 0n : i),
      lossNano: nanos(0n),
    });
    await adjust(database.db, {
      accountId,
      amountNano: nanos(-10n),
      reference: newUuid(),
      note: "paid elsewhere",
    });
  }
  const all = await listEntries(database.db, {
    accountId,
    limit: 100,
    cursor: null,
    moneyOnly: false,
  });
  for (const kind of ["topup", "adjust", "charge", "release", "loss"] as const) {
    const found: Entry[] = [];
    let cursor: string | null = null;
    do {
      const page = await listEntries(database.db, {
        accountId,
        limit: 1,
        cursor,
        moneyOnly: true,
        kind,
      });
      assert.ok(page !== null);
      found.push(...page.entries);
      cursor = page.nextCursor;
    } while (cursor !== null);
    assert.deepEqual(
      found,
      all?.entries.filter((entry) => entry.kind === kind),
    );
  }
});

test("top-ups and corrections among thousands of charges are found without reading those", async () => {
  const { db, url } = database;
  const accountId = await fundedAccount(db, 10_000_000_000n);
  const keyId = newUuid();
  await openBudget(db, { budgetId: keyId, accountId, limitNano: null, period: "total" });
  const [models, count] = [["m"], 4_000];
  // Two months of them, between two top-ups.
  await fillReceipts(url, { accountId, keyIds: [keyId], models, count, apart: "20 minutes" });
  await credit(db, { accountId, amountNano: nanos(5n), reference: newUuid(), kind: "topup" });
  await db.query("ANALYZE ledger.entries");
  await db.transaction(async (tx) => {
    for (const [kind, found] of [
      ["topup", 2],
      ["adjust", 0],
      ["loss", 0],
    ] as const) {
      const read = await rowsRead(tx, "ledger.entries", async () => {
        const search = { accountId, limit: 10, cursor: null, moneyOnly: true, kind };
        assert.equal((await listEntries(tx, search))?.entries.length, found);
      });
      assert.ok(read <= 10, `${read} rows were read for ${found} of ${kind}`);
    }
  });
});
