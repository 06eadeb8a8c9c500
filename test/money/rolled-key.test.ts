/**
 * Guarantee: a rolled key's limit goes on with the key that took its place, to the nano-rouble,
 * while other processes spend; without an overlap the two together never pass it. A roll is whole
 * or did not happen, wherever its process is killed.
 */
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { after, before, test } from "node:test";
import {
  listAccountKeys,
  readAccountKey,
} from "../../src/business/panel/account/list-account-keys.ts";
import { rollAccountKey } from "../../src/business/panel/account/roll-account-key.ts";
import { verifyLedger } from "../../src/business/operate/verify-ledger.ts";
import type { BudgetPeriod } from "../../src/contract/enums/budget-period.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { nano } from "../../src/kernel/money.ts";
import { findKeyByHash } from "../../src/keys/store.ts";
import { budgetState, updateBudget } from "../../src/ledger/budgets.store.ts";
import { startWorker, type Worker } from "../ledger/start-worker.ts";
import { openAccountScene, type AccountScene } from "../support/account-scene.ts";
import type { RollOrder } from "./roll-worker.ts";

const PERIODS = ["day", "month", "total"] as const;
const AMOUNT = 1_000n;
const N = 200;

let scene: AccountScene;
let workers: Worker[];
let races = 0;
before(async () => {
  scene = await openAccountScene();
  workers = await Promise.all([startWorker(scene.url), startWorker(scene.url)]);
});
after(async () => {
  for (const worker of workers) worker.process.disconnect();
  await Promise.all(workers.map((worker) => worker.gone()));
  await scene.close();
});

interface LimitedKey {
  readonly accountId: string;
  readonly keyId: string;
  readonly hash: string;
}

/** Of an account with more than enough; its limit is N times AMOUNT. */
async function limitedKey(period: BudgetPeriod): Promise<LimitedKey> {
  const accountId = await scene.account("1000");
  const { key } = await scene.key(accountId);
  await updateBudget(scene.db, {
    budgetId: key.keyId,
    limitNano: nano(BigInt(N) * AMOUNT),
    period,
  });
  return { accountId, keyId: key.keyId, hash: key.hash };
}

/** Both processes ask at once, `count` times each; resolves with how many were admitted. */
async function race({ accountId, keyId }: LimitedKey, count: number): Promise<number> {
  races++;
  for (const worker of workers)
    worker.order({ kind: "race", accountId, budgetId: keyId, amount: AMOUNT.toString(), count });
  await Promise.all(workers.map((worker) => worker.seen("raced", races)));
  return workers
    .map(
      (worker) =>
        worker.reports.filter((report) => report.kind === "raced").at(-1)?.verdicts["held"] ?? 0,
    )
    .reduce((sum, held) => sum + held, 0);
}

async function roll(old: LimitedKey, overlapHours: number): Promise<LimitedKey> {
  const { key } = await rollAccountKey(scene.db, systemClock, old.accountId, {
    hash: old.hash,
    overlapHours,
  });
  const heir = await findKeyByHash(scene.db, key.hash);
  assert.ok(heir !== null);
  return { accountId: old.accountId, keyId: heir.keyId, hash: key.hash };
}

async function usedOf({ keyId }: LimitedKey): Promise<bigint> {
  const state = (await budgetState(scene.db, [keyId])).get(keyId);
  assert.ok(state !== undefined);
  return state.periodChargedNano + state.heldNano;
}

for (const period of PERIODS) {
  test(`rolled without an overlap while two processes spend: both keys together come to the limit exactly, by ${period}`, async () => {
    const old = await limitedKey(period);
    const before = await race(old, 20);
    const racing = race(old, 100);
    const heir = await roll(old, 0);
    const during = await racing;
    assert.equal(before + during + (await race(heir, N)), N);
    assert.deepEqual((await verifyLedger(scene.db)).mismatches, []);
  });

  test(`rolled with an overlap while two processes spend: only what the old key takes after the roll is beside the limit, by ${period}`, async () => {
    const old = await limitedKey(period);
    const before = await race(old, 20);
    const racing = race(old, 100);
    const heir = await roll(old, 24);
    const carried = (await usedOf(heir)) / AMOUNT;
    const during = await racing;
    assert.ok(
      carried >= before && carried <= before + during,
      `${carried} of ${before} to ${before + during}`,
    );
    assert.equal(BigInt(await race(heir, N)), BigInt(N) - carried);
    assert.equal(
      before + during + (await race(old, N)),
      N,
      "the old key has its own limit, of which it spends what is left",
    );
    const third = await roll(heir, 24);
    assert.equal(await race(third, 5), 0, "a second roll opens nothing");
    assert.deepEqual((await verifyLedger(scene.db)).mismatches, []);
  });
}

/** Returns how the process ended; null: behind the commit. */
async function rollAndDie(old: LimitedKey, lastStatement: number): Promise<NodeJS.Signals | null> {
  const order: RollOrder = {
    url: scene.url,
    accountId: old.accountId,
    hash: old.hash,
    lastStatement,
  };
  const child = fork(join(import.meta.dirname, "roll-worker.ts"), [JSON.stringify(order)], {
    stdio: "inherit",
  });
  const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  assert.ok(signal === "SIGKILL" || code === 0, `${signal} ${code}`);
  return signal;
}

test("killed behind each statement of a roll, nothing has happened, and the next roll is whole", async () => {
  const old = await limitedKey("month");
  await race(old, 50);
  let statement = 1;
  for (; (await rollAndDie(old, statement)) !== null; statement++) {
    assert.equal(
      (await listAccountKeys(scene.db, systemClock, old.accountId, { deleted: true })).data.length,
      1,
    );
    const { state, rolledTo } = await readAccountKey(
      scene.db,
      systemClock,
      old.accountId,
      old.hash,
    );
    assert.deepEqual([state, rolledTo], ["active", null]);
    assert.equal(await race(old, 1), 2, "the old key spends on");
    assert.deepEqual((await verifyLedger(scene.db)).mismatches, []);
  }
  assert.ok(statement > 8, `killed ${statement - 1} times`);
  const { data } = await listAccountKeys(scene.db, systemClock, old.accountId, { deleted: true });
  const spent = 100n + 2n * BigInt(statement - 1);
  assert.equal(data.length, 2);
  const heir = await findKeyByHash(scene.db, data[0]?.hash ?? "");
  assert.ok(heir !== null);
  assert.equal(await usedOf({ ...old, keyId: heir.keyId }), spent * AMOUNT);
  assert.deepEqual((await verifyLedger(scene.db)).mismatches, []);
});
