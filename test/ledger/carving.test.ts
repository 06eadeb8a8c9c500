/** A task's hold that is divided: what stays whole, what is refused, and each part's own end. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { leased } from "./journal-world.ts";
import { exactHold, fundedAccount, newBudget } from "./ledger-world.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { newUuid, type Uuid } from "../../src/kernel/ids.ts";
import type { Nano } from "../../src/kernel/money.ts";
import { balance, setAccountState } from "../../src/ledger/accounts.store.ts";
import { budgetState, closeBudget } from "../../src/ledger/budgets.store.ts";
import { carveIn, type CarveRequest } from "./carve-in.ts";
import { holdIn, settleIn } from "../../src/ledger/holds.store.ts";
import type { HoldRequest } from "../../src/ledger/hold-verdicts.ts";
import { verify } from "../../src/ledger/verify.store.ts";

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

function partOf(
  { accountId, holdId }: Pick<HoldRequest, "accountId" | "holdId">,
  amount: bigint,
): CarveRequest {
  return {
    accountId,
    holdId,
    newHoldId: newUuid(),
    amountNano: nanos(amount),
    reference: "task:line",
    priceVersion: 3,
    detail: '{"line":1}',
  };
}

const settle = (accountId: Uuid, holdId: Uuid, charge: bigint) =>
  settleIn(database.db, { accountId, holdId, chargeNano: nanos(charge), lossNano: nanos(0n) });

async function heldTask(amount: bigint, budgetId: Uuid | null, accountId: Uuid) {
  const request = exactHold(accountId, amount, { budgetId });
  assert.equal((await holdIn(database.db, request)).kind, "held");
  return request;
}

/** What is set aside, free and charged, of the account and of the budget. */
async function totals(accountId: Uuid, budgetId: Uuid): Promise<(bigint | null | undefined)[]> {
  const money = await balance(database.db, accountId);
  const state = (await budgetState(database.db, [budgetId])).get(budgetId);
  return [
    money?.heldNano,
    money?.availableNano,
    money?.chargedNano,
    state?.heldNano,
    state?.availableNano,
    state?.chargedNano,
  ];
}

test("a part of a hold is a hold of its own in the same budget: no total changes, and each settles by itself with its own reference and price version", async () => {
  const accountId = await fundedAccount(database.db, 1_000n);
  const budgetId = await newBudget(database.db, accountId, 500n);
  const batch = await heldTask(100n, budgetId, accountId);
  const before = await totals(accountId, budgetId);
  const [first, second] = [partOf(batch, 30n), partOf(batch, 70n)];
  assert.deepEqual(await carveIn(database.db, first), { kind: "carved", leftNano: 70n });
  assert.deepEqual(await totals(accountId, budgetId), before);
  assert.deepEqual(await carveIn(database.db, second), { kind: "carved", leftNano: 0n });
  assert.deepEqual(await totals(accountId, budgetId), before);
  assert.deepEqual(await settle(accountId, first.newHoldId, 12n), {
    kind: "settled",
    chargedNano: 12n,
    releasedNano: 18n,
  });
  assert.deepEqual(await settle(accountId, second.newHoldId, 500n), {
    kind: "settled",
    chargedNano: 70n,
    releasedNano: 0n,
  });
  assert.deepEqual(await settle(accountId, batch.holdId, 5n), {
    kind: "settled",
    chargedNano: 0n,
    releasedNano: 0n,
  });
  assert.deepEqual(await totals(accountId, budgetId), [0n, 918n, 82n, 0n, 418n, 82n]);
  assert.deepEqual(
    await database.db.query(
      "SELECT kind::text, amount_nano, held_nano, budget_id, price_version, reference FROM ledger.entries WHERE entry_id = $1",
      [first.newHoldId],
    ),
    [
      {
        kind: "charge",
        amount_nano: 12n,
        held_nano: 30n,
        budget_id: budgetId,
        price_version: 3,
        reference: "task:line",
      },
    ],
  );
});

test("never more than the hold has, nothing of one that is not there, has ended, is of another account or of a process; all refused without a trace", async () => {
  const accountId = await fundedAccount(database.db, 1_000n);
  const batch = await heldTask(100n, null, accountId);
  const over = await heldTask(10n, null, accountId);
  await settle(accountId, over.holdId, 10n);
  const lease = await leased(database.db, accountId, 40n);
  const before = await balance(database.db, accountId);
  assert.deepEqual(await carveIn(database.db, partOf(batch, 101n)), {
    kind: "insufficient-hold",
    heldNano: 100n,
  });
  const strange = { accountId: await fundedAccount(database.db, 5n), holdId: batch.holdId };
  for (const of of [
    over,
    strange,
    { accountId, holdId: newUuid() },
    { accountId, holdId: lease.leaseId },
  ])
    assert.deepEqual(await carveIn(database.db, partOf(of, 1n)), { kind: "unknown-hold" });
  assert.deepEqual(await balance(database.db, accountId), before);
  await assert.rejects(carveIn(database.db, partOf(batch, 0n)), /above zero/);
  await assert.rejects(carveIn(database.db, partOf(batch, -1n)), /above zero/);
  const itself = { ...partOf(batch, 1n), newHoldId: batch.holdId };
  await assert.rejects(carveIn(database.db, itself), /another one/);
});

test("carving again changes nothing, while the part lives and when it has ended, also when the first hold is gone", async () => {
  const accountId = await fundedAccount(database.db, 100n);
  const batch = await heldTask(50n, null, accountId);
  const part = partOf(batch, 20n);
  const again = async (): Promise<void> =>
    assert.deepEqual(await carveIn(database.db, part), { kind: "already-carved" });
  assert.equal((await carveIn(database.db, part)).kind, "carved");
  await again();
  await settle(accountId, part.newHoldId, 7n);
  await again();
  assert.deepEqual(await settle(accountId, batch.holdId, 30n), {
    kind: "settled",
    chargedNano: 30n,
    releasedNano: 0n,
  });
  await again();
  assert.equal((await balance(database.db, accountId))?.availableNano, 63n);
});

test("a part can be carved again, and stands in all three budgets of the hold", async () => {
  const accountId = await fundedAccount(database.db, 100n);
  const [key, member, group] = [
    await newBudget(database.db, accountId, 50n),
    await newBudget(database.db, accountId, null),
    await newBudget(database.db, accountId, null),
  ];
  const batch = await heldTask(50n, key, accountId);
  await database.db.query(
    "UPDATE ledger.holds SET budget2_id = $2, budget3_id = $3 WHERE hold_id = $1",
    [batch.holdId, member, group],
  );
  await database.db.query(
    "UPDATE ledger.budgets SET held_nano = 50 WHERE budget_id = ANY ($1::uuid[])",
    [[member, group]],
  );
  const [part, crumb] = [partOf(batch, 20n)].flatMap((one) => [
    one,
    partOf({ accountId, holdId: one.newHoldId }, 5n),
  ]);
  assert.ok(part !== undefined && crumb !== undefined);
  assert.deepEqual(await carveIn(database.db, part), { kind: "carved", leftNano: 30n });
  assert.deepEqual(await carveIn(database.db, crumb), { kind: "carved", leftNano: 15n });
  const rows = await database.db.query(
    "SELECT a.held_nano, b.held_nano AS rest FROM ledger.holds a, ledger.holds b WHERE a.hold_id = $1 AND b.hold_id = $2",
    [crumb.newHoldId, part.newHoldId],
  );
  assert.deepEqual(rows, [{ held_nano: 5n, rest: 15n }]);
  for (const id of [crumb.newHoldId, part.newHoldId, batch.holdId])
    assert.equal((await settle(accountId, id, 1n)).kind, "settled");
  const states = await budgetState(database.db, [key, member, group]);
  assert.deepEqual(
    [...states.values()].map(({ chargedNano, heldNano }) => [chargedNano, heldNano]),
    [key, member, group].map(() => [3n, 0n]),
  );
  assert.equal((await balance(database.db, accountId))?.availableNano, 97n);
});

test("what was admitted is carved and settled, though its budget was closed and its account blocked meanwhile", async () => {
  const accountId = await fundedAccount(database.db, 100n);
  const budgetId = await newBudget(database.db, accountId, 60n);
  const batch = await heldTask(60n, budgetId, accountId);
  await closeBudget(database.db, budgetId);
  await setAccountState(database.db, accountId, "blocked");
  const part = partOf(batch, 25n);
  assert.deepEqual(await carveIn(database.db, part), { kind: "carved", leftNano: 35n });
  assert.equal((await settle(accountId, part.newHoldId, 25n)).kind, "settled");
  assert.equal((await settle(accountId, batch.holdId, 35n)).kind, "settled");
  assert.deepEqual(await totals(accountId, budgetId), [0n, 40n, 60n, 0n, 0n, 60n]);
});

test("a carving that waits for the settlement of its hold finds none; a settlement that waits for a carving takes what is left", async () => {
  const accountId = await fundedAccount(database.db, 100n);
  const waits = async (what: string): Promise<void> => {
    const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database() AND query LIKE '%ledger.${what}(%'`;
    while ((await database.db.query(waiting)).length === 0) await sleep(5);
  };
  const [first, second] = [
    await heldTask(40n, null, accountId),
    await heldTask(50n, null, accountId),
  ];
  const { carving } = await database.db.transaction(async (tx) => {
    const settlement = { chargeNano: nanos(30n), lossNano: nanos(0n) };
    await settleIn(tx, { accountId, holdId: first.holdId, ...settlement });
    const beside = carveIn(database.db, partOf(first, 5n));
    await waits("carve");
    return { carving: beside };
  });
  assert.deepEqual(await carving, { kind: "unknown-hold" });
  const part = partOf(second, 20n);
  const { settling } = await database.db.transaction(async (tx) => {
    await carveIn(tx, part);
    const beside = settle(accountId, second.holdId, 50n);
    await waits("settle");
    return { settling: beside };
  });
  assert.deepEqual(await settling, { kind: "settled", chargedNano: 30n, releasedNano: 0n });
  assert.equal((await settle(accountId, part.newHoldId, 20n)).kind, "settled");
  assert.deepEqual((await balance(database.db, accountId))?.availableNano, 20n);
});

test("a carving in a transaction that fails never was", async () => {
  const accountId = await fundedAccount(database.db, 100n);
  const batch = await heldTask(50n, null, accountId);
  const part = partOf(batch, 20n);
  const failing = database.db.transaction(async (tx) => {
    await carveIn(tx, part);
    const settlement = { chargeNano: nanos(20n), lossNano: nanos(0n) };
    await settleIn(tx, { accountId, holdId: part.newHoldId, ...settlement });
    throw new Error("undone");
  });
  await assert.rejects(failing, /undone/);
  assert.deepEqual(await settle(accountId, part.newHoldId, 1n), { kind: "unknown-hold" });
  assert.deepEqual(await settle(accountId, batch.holdId, 50n), {
    kind: "settled",
    chargedNano: 50n,
    releasedNano: 0n,
  });
});
