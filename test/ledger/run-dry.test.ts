/**
 * Four processes' worth of leases on fifty accounts that run dry: what was paid in is spent to the
 * last nano-rouble and never beyond, though each of the four holds money ahead (hazards §16).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { listen, type Listener } from "../../src/db/listen.ts";
import { newUuid, type Uuid } from "../../src/kernel/ids.ts";
import type { Nano } from "../../src/kernel/money.ts";
import { balances } from "../../src/ledger/accounts.store.ts";
import { updateBudget } from "../../src/ledger/budgets.store.ts";
import { postAll } from "../../src/ledger/journals.store.ts";
import { recallForCommand } from "../../src/ledger/recall.ts";
import { RECALL_CHANNEL } from "../../src/ledger/recalls.store.ts";
import { verify } from "../../src/ledger/verify.store.ts";
import {
  createSettlePipeline,
  type SettlePipeline,
} from "../../src/serving/money/settle-pipeline.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { exactHold, fundedAccount, newBudget } from "./ledger-world.ts";

const PROCESSES = 4;
const ACCOUNTS = 50;
const HELD = 100n;
const CHARGED = 7n;

let database: TestDatabase;
const errors: unknown[] = [];
/** Each process hears of a recall so much later. */
const deafMs = Array.from({ length: PROCESSES }, () => 0);
const processes: { readonly pipeline: SettlePipeline; readonly listener: Listener }[] = [];

before(async () => {
  database = await testDatabase();
  const connected: Promise<void>[] = [];
  for (let index = 0; index < PROCESSES; index++) {
    const pipeline = createSettlePipeline({
      url: database.url,
      db: database.db,
      ownerId: newUuid(),
      applicationName: `run dry ${index}`,
      onError: (error) => errors.push(error),
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    connected.push(promise);
    const listener = listen({
      url: database.url,
      channels: [RECALL_CHANNEL],
      onMessage: (_, accountId) => {
        const ms = deafMs[index] ?? 0;
        if (ms === 0) pipeline.recall(accountId);
        else setTimeout(() => pipeline.recall(accountId), ms);
      },
      onConnected: resolve,
      onError: (error) => errors.push(error),
    });
    processes.push({ pipeline, listener });
  }
  await Promise.all(connected);
});

after(async () => {
  await Promise.all(
    processes.map(async ({ pipeline, listener }) => {
      await listener.close();
      await pipeline.close();
    }),
  );
  const { mismatches } = await database.db.transaction(verify);
  await database.drop();
  assert.deepEqual(mismatches, []);
});

/** One request: true when it was paid for. */
async function ask(
  process: number,
  accountId: Uuid,
  budgetId: Uuid | null,
  held = HELD,
): Promise<boolean> {
  const { pipeline } = processes[process] as (typeof processes)[number];
  const request = exactHold(accountId, held, { budgetId });
  const verdict = await pipeline.hold(request);
  if (verdict.kind !== "held") {
    assert.ok(["insufficient-balance", "limit-exceeded"].includes(verdict.kind), verdict.kind);
    return false;
  }
  const settled = await pipeline.settle({
    accountId,
    holdId: request.holdId,
    chargeNano: CHARGED as Nano,
    lossNano: 0n as Nano,
    receipt: null,
  });
  assert.equal(settled.kind, "settled");
  return true;
}

/** Each process asks until it is refused when it asks alone. */
async function askUntilRefused(accountId: Uuid, budgetId: Uuid | null): Promise<number> {
  let paid = 0;
  await Promise.all(
    processes.map(async (_, process) => {
      for (;;) {
        const answers = await Promise.all([1, 2].map(() => ask(process, accountId, budgetId)));
        const some = answers.filter(Boolean).length;
        paid += some;
        if (some === 0) return;
      }
    }),
  );
  // What the others gave back meanwhile.
  while (await ask(0, accountId, budgetId)) paid += 1;
  return paid;
}

test("fifty accounts are spent by four processes until less than one hold is left", async () => {
  const accounts: Uuid[] = [];
  for (let index = 0; index < ACCOUNTS; index++)
    accounts.push(await fundedAccount(database.db, 2_000n + BigInt(index)));
  const paid = await Promise.all(accounts.map((accountId) => askUntilRefused(accountId, null)));
  await postAll(database.db);
  const left = await balances(database.db, accounts);
  for (const [index, accountId] of accounts.entries()) {
    const found = left.get(accountId);
    assert.equal(found?.chargedNano, BigInt(paid[index] ?? 0) * CHARGED);
    assert.equal(found?.heldNano, 0n);
    assert.ok((found?.availableNano ?? HELD) < HELD, `${found?.availableNano} of ${index} is left`);
  }
  assert.deepEqual(errors, []);
});

test("a limit that is lowered while four processes have leases holds from the command's return on", async () => {
  const accountId = await fundedAccount(database.db, 1_000_000_000n);
  const budgetId = await newBudget(database.db, accountId, 500_000_000n);
  for (let process = 0; process < PROCESSES; process++)
    assert.equal(await ask(process, accountId, budgetId), true);
  const leased = await database.db.query<{ shared: boolean }>(
    "SELECT shared FROM ledger.holds WHERE account_id = $1 AND shared AND NOT recalled",
    [accountId],
  );
  assert.equal(leased.length, PROCESSES, "each process has its lease");
  const limitNano = (CHARGED * BigInt(PROCESSES) + HELD + 3n) as Nano;
  await database.db.transaction((tx) => updateBudget(tx, { budgetId, limitNano, period: "total" }));
  await recallForCommand(database.db, accountId);
  const out = await database.db.query(
    "SELECT FROM ledger.holds WHERE account_id = $1 AND shared AND NOT recalled",
    [accountId],
  );
  assert.equal(out.length, 0, "no lease is out when the command returns");
  const paid = await askUntilRefused(accountId, budgetId);
  assert.ok(paid > 0);
  await postAll(database.db);
  const [row] = await database.db.query<{ charged: bigint; held: bigint }>(
    "SELECT charged_nano AS charged, held_nano AS held FROM ledger.budgets WHERE budget_id = $1",
    [budgetId],
  );
  assert.ok((row?.charged ?? 0n) + (row?.held ?? 0n) <= limitNano, `${row?.charged}`);
  assert.ok((row?.charged ?? 0n) > limitNano - HELD, "and is spent as far as it goes");
});

test("what one process holds ahead is given back before another refuses a request for it", async () => {
  const accountId = await fundedAccount(database.db, 10_000n);
  assert.equal(await ask(0, accountId, null), true);
  const { pipeline } = processes[1] as (typeof processes)[number];
  const all = exactHold(accountId, 10_000n - CHARGED);
  assert.equal((await pipeline.hold(all)).kind, "held");
  const nothing = { chargeNano: 0n as Nano, lossNano: 0n as Nano, receipt: null };
  await pipeline.settle({ accountId, holdId: all.holdId, ...nothing });
});

test("what a process holds ahead is not refused to another one, though it gives back a second late", async () => {
  const credit = 1_000n * HELD;
  const accountId = await fundedAccount(database.db, credit);
  assert.equal(await ask(1, accountId, null), true);
  const leased = await database.db.query(
    "SELECT FROM ledger.holds WHERE account_id = $1 AND shared AND NOT recalled",
    [accountId],
  );
  assert.equal(leased.length, 1);
  deafMs[1] = 1_000;
  try {
    assert.equal(await ask(0, accountId, null, credit - CHARGED), true, "all that is left");
  } finally {
    deafMs[1] = 0;
  }
});
