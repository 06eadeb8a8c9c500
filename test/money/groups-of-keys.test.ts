/**
 * Guarantee: no account, group or key is overspent by keys that two processes use at once: money for
 * N admits N. Moving a key, lowering a group's limit, switching it off and deleting it hold in every
 * process when the command returns, whatever a process remembers of the key.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  changeAccountGroup,
  setAccountGroupFrozen,
} from "../../src/business/panel/account/change-account-group.ts";
import { changeAccountKey } from "../../src/business/panel/account/change-account-key.ts";
import { createAccountGroup } from "../../src/business/panel/account/create-account-group.ts";
import { deleteAccountGroup } from "../../src/business/panel/account/delete-account-group.ts";
import { verifyLedger } from "../../src/business/operate/verify-ledger.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import type { Uuid } from "../../src/kernel/ids.ts";
import { formatRoubles, nano } from "../../src/kernel/money.ts";
import type { KeyRecord } from "../../src/keys/key-record.ts";
import { balance } from "../../src/ledger/accounts.store.ts";
import { budgetState } from "../../src/ledger/budgets.store.ts";
import { postAll } from "../../src/ledger/journals.store.ts";
import { startWorker, type Worker } from "../ledger/start-worker.ts";
import { openAccountScene, type AccountScene } from "../support/account-scene.ts";
import { until } from "../support/until.ts";

const AMOUNT = 1_000n;
const N = 120;

let scene: AccountScene;
let workers: Worker[];
let raced = 0;
let ended = 0;
before(async () => {
  scene = await openAccountScene();
  workers = await Promise.all([startWorker(scene.url), startWorker(scene.url)]);
});
after(async () => {
  for (const worker of workers) worker.process.disconnect();
  await Promise.all(workers.map((worker) => worker.gone()));
  await scene.close();
});

const worth = (requests: number) => nano(BigInt(requests) * AMOUNT);

async function newGroup(accountId: Uuid, requests: number | null): Promise<Uuid> {
  const limit = requests === null ? null : { amountNano: worth(requests), period: "day" as const };
  const group = { accountId, name: "Отдел", limit, models: null, once: null };
  return (await createAccountGroup(scene.db, group)).id;
}

async function newKey(accountId: Uuid, requests: number | null): Promise<KeyRecord> {
  const { key } = await scene.key(accountId);
  const limit =
    requests === null ? null : { amountNano: worth(requests), period: "total" as const };
  await changeAccountKey(scene.db, systemClock, accountId, key.hash, { limit });
  return key;
}

const move = ({ accountId, hash }: KeyRecord, groupId: Uuid | null) =>
  changeAccountKey(scene.db, systemClock, accountId, hash, { groupId });

interface Race {
  readonly key: KeyRecord;
  /** As both processes remember it. */
  readonly groupId: Uuid | null;
  /** For each of the processes. */
  readonly count: number;
}

/** All of it at once in both processes: of each verdict, how many. */
async function race(...races: readonly Race[]): Promise<Record<string, number>> {
  for (const { key, groupId, count } of races)
    for (const worker of workers)
      worker.order({
        kind: "race",
        accountId: key.accountId,
        budgetId: key.keyId,
        groupId,
        amount: AMOUNT.toString(),
        count,
      });
  raced += races.length;
  await Promise.all(workers.map((worker) => worker.seen("raced", raced)));
  const verdicts: Record<string, number> = {};
  for (const { reports } of workers)
    for (const report of reports.filter(({ kind }) => kind === "raced").slice(-races.length))
      if (report.kind === "raced")
        for (const [kind, count] of Object.entries(report.verdicts))
          verdicts[kind] = (verdicts[kind] ?? 0) + count;
  return verdicts;
}

/** Whatever was admitted ends at half of it. */
async function endAll(): Promise<void> {
  for (const worker of workers) worker.order({ kind: "settle", charge: (AMOUNT / 2n).toString() });
  ended += 1;
  await Promise.all(workers.map((worker) => worker.seen("ended", ended)));
  await postAll(scene.db);
}

/** Charged to the budget and held in it, in requests, with what processes have at hand. */
async function usedOf(...budgetIds: readonly Uuid[]): Promise<number[]> {
  await postAll(scene.db);
  const rows = await scene.db.query<{ used: bigint }>(
    `SELECT period_charged_nano + held_nano AS used FROM ledger.budgets JOIN unnest($1::uuid[]) WITH ORDINALITY AS u (budget_id, nth) USING (budget_id)
     ORDER BY nth`,
    [budgetIds],
  );
  return rows.map(({ used }) => Number(used) / Number(AMOUNT));
}

/** What goes on stands in this group, and nothing is at hand beside it. */
const holdsJust = (groupId: Uuid, requests: number) =>
  until("only what was admitted is held", async () => (await usedOf(groupId))[0] === requests);

async function booksAgree(): Promise<void> {
  assert.deepEqual((await verifyLedger(scene.db)).mismatches, []);
}

test("a group worth N admits N of its keys' requests, however they share it", async () => {
  const accountId = await scene.account("1000");
  const groupId = await newGroup(accountId, N);
  const keys = [await newKey(accountId, null), await newKey(accountId, null)];
  for (const key of keys) await move(key, groupId);
  const verdicts = await race(...keys.map((key) => ({ key, groupId, count: 3 * N })));
  assert.deepEqual(verdicts, { held: N, "group-limit-exceeded": 11 * N });
  await holdsJust(groupId, N);
  await endAll();
  assert.deepEqual(await usedOf(groupId), [N / 2]);
  await booksAgree();
});

test("account, group and keys are each used up to the last request, and none beyond it", async () => {
  const [ofGroup, ofKey, ofOther] = [N, N / 3, N / 2];
  const accountId = await scene.account(formatRoubles(worth(ofGroup + ofOther)));
  const groupId = await newGroup(accountId, ofGroup);
  const limited = await newKey(accountId, ofKey);
  const free = await newKey(accountId, null);
  const outside = await newKey(accountId, ofOther);
  for (const key of [limited, free]) await move(key, groupId);
  const verdicts = await race(
    { key: limited, groupId, count: N },
    { key: free, groupId, count: 2 * N },
    { key: outside, groupId: null, count: N },
  );
  assert.equal(verdicts["held"], ofGroup + ofOther);
  await holdsJust(groupId, ofGroup);
  const [used = 0, usedOutside] = await usedOf(limited.keyId, outside.keyId);
  assert.ok(used <= ofKey, `${used} of ${ofKey}`);
  assert.equal(usedOutside, ofOther);
  await until("nothing is left of the balance, when what goes on is noted", async () => {
    await postAll(scene.db);
    return (await balance(scene.db, accountId))?.availableNano === 0n;
  });
  await endAll();
  await booksAgree();
});

test("a process that remembers another group than the key's holds in the key's", async () => {
  const accountId = await scene.account("1000");
  const [before_, now] = [await newGroup(accountId, null), await newGroup(accountId, N)];
  const key = await newKey(accountId, null);
  await move(key, before_);
  await race({ key, groupId: before_, count: 10 });
  await move(key, now);
  // Neither has heard of it.
  const verdicts = await race({ key, groupId: before_, count: N });
  assert.deepEqual(verdicts, { held: N, "group-limit-exceeded": N });
  await holdsJust(now, N);
  assert.deepEqual(await usedOf(before_), [20], "what was admitted before stays where it was");
  await move(key, null);
  assert.deepEqual(await race({ key, groupId: now, count: 5 }), { held: 10 });
  assert.deepEqual(await usedOf(before_, now), [20, N]);
  await endAll();
  assert.deepEqual(await usedOf(before_, now), [10, N / 2]);
  await booksAgree();
});

test("from a move on nothing is held in the group that the key left, while both processes ask", async () => {
  const accountId = await scene.account("1000");
  const groups = [await newGroup(accountId, null), await newGroup(accountId, null)];
  const key = await newKey(accountId, null);
  await move(key, groups[0] ?? "");
  for (let round = 0; round < 4; round++) {
    const [from = "", to = ""] = round % 2 === 0 ? groups : groups.toReversed();
    const racing = race({ key, groupId: from, count: 60 });
    await move(key, to);
    // What runs already; the race goes on meanwhile, by what its process remembers.
    const [left] = await usedOf(from);
    await racing;
    const [later = 0] = await usedOf(from);
    assert.ok(later <= (left ?? 0), `round ${round}: ${later} after ${left}`);
    await race({ key, groupId: from, count: 20 });
    assert.ok(((await usedOf(from))[0] ?? 0) <= later, `round ${round}`);
  }
  await endAll();
  assert.equal(
    (await usedOf(...groups)).reduce((sum, used) => sum + used, 0),
    (4 * 2 * 80) / 2,
  );
  await booksAgree();
});

test("a lowered limit, a group that is switched off and one that is deleted hold at once in both processes", async () => {
  const accountId = await scene.account("1000");
  const groupId = await newGroup(accountId, null);
  const key = await newKey(accountId, null);
  await move(key, groupId);
  assert.deepEqual(await race({ key, groupId, count: 20 }), { held: 40 });
  const limit = { amountNano: worth(50), period: "total" as const };
  await changeAccountGroup(scene.db, { accountId, groupId }, { limit });
  assert.deepEqual(await race({ key, groupId, count: 20 }), {
    held: 10,
    "group-limit-exceeded": 30,
  });
  await changeAccountGroup(scene.db, { accountId, groupId }, { limit: null });
  await race({ key, groupId, count: 5 });
  await setAccountGroupFrozen(scene.db, { accountId, groupId }, true);
  assert.deepEqual(await race({ key, groupId, count: 10 }), { "group-closed": 20 });
  await setAccountGroupFrozen(scene.db, { accountId, groupId }, false);
  assert.deepEqual(await race({ key, groupId, count: 5 }), { held: 10 });
  await deleteAccountGroup(scene.db, { accountId, groupId });
  const [left] = await usedOf(groupId);
  assert.deepEqual(await race({ key, groupId, count: 10 }), { held: 20 }, "its key goes on");
  assert.deepEqual(await usedOf(groupId), [left], "in no group");
  await endAll();
  const state = (await budgetState(scene.db, [groupId])).get(groupId);
  assert.deepEqual([state?.heldNano, state?.chargedNano], [0n, worth(70) / 2n]);
  await booksAgree();
});

test("a difference between a group's totals and its keys' entries is found", async () => {
  const accountId = await scene.account("1000");
  const groupId = await newGroup(accountId, null);
  const key = await newKey(accountId, null);
  await move(key, groupId);
  await scene.chat(key, { chargeNano: 500n });
  await scene.task(key, 3_000n, "completed");
  await booksAgree();
  for (const column of ["charged_nano", "held_nano"]) {
    const change = (by: number) =>
      scene.db.query(
        `UPDATE ledger.budgets SET ${column} = ${column} + ${by} WHERE budget_id = $1`,
        [groupId],
      );
    await change(1);
    const { mismatches } = await verifyLedger(scene.db);
    assert.deepEqual(
      mismatches.map(({ where, id }) => [where, id]),
      [[column === "held_nano" ? "budget.held" : "budget.charged", groupId]],
    );
    await change(-1);
  }
  await booksAgree();
});
