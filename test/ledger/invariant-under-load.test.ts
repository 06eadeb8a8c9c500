/**
 * Guarantee: charged + held ≤ credited at any instant and interleaving, of accounts and limits; no
 * deadlock (contract §6; hazards §16).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openDatabase, type Db } from "../../src/db/database.ts";
import { newUuid, type Uuid } from "../../src/kernel/ids.ts";
import type { Nano } from "../../src/kernel/money.ts";
import { closeBudget, updateBudget } from "../../src/ledger/budgets.store.ts";
import { extendMany, holdMany, settleMany } from "../../src/ledger/holds.store.ts";
import { adjust, credit } from "../../src/ledger/transfers.store.ts";
import { verify } from "../../src/ledger/verify.store.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { exactHold, fundedAccount, newBudget } from "./ledger-world.ts";

const SESSIONS = 16;
const STEPS = 60;

let database: TestDatabase;
let sessions: Db;
before(async () => {
  database = await testDatabase();
  sessions = openDatabase({
    url: database.url,
    poolSize: SESSIONS,
    applicationName: "sessions",
    onError: () => {},
  });
});
after(async () => {
  await sessions.close();
  await database.drop();
});

/** A small seeded generator (mulberry32), so that a failure can be run again. */
function seededPick(seed: number): (count: number) => number {
  let state = seed;
  return (count) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
  };
}

const seed = Date.now() % 1_000_000;

test(`16 sessions of random batches on three poor accounts, sampled from another session, seed ${seed}`, async () => {
  const accounts = await Promise.all(
    [700n, 900n, 1_100n].map((amount) => fundedAccount(database.db, amount)),
  );
  const budgets = await Promise.all(
    accounts.flatMap((account) => [
      newBudget(database.db, account, 400n),
      newBudget(database.db, account, null),
    ]),
  );
  const live: Uuid[] = [];
  let busy = true;

  async function session(number: number): Promise<void> {
    const pick = seededPick(seed + number);
    const nanos = (most: number): Nano => BigInt(pick(most)) as Nano;
    const someHolds = (): Uuid[] => [
      ...new Set(
        Array.from(
          { length: 1 + pick(5) },
          () => live[pick(Math.max(1, live.length))] ?? newUuid(),
        ),
      ),
    ];
    for (let step = 0; step < STEPS; step++) {
      const what = pick(20);
      if (what < 8) {
        const requests = Array.from({ length: 1 + pick(8) }, () => {
          const at = pick(accounts.length);
          const budgetId = pick(3) === 0 ? null : (budgets[2 * at + pick(2)] ?? null);
          return exactHold(accounts[at] ?? "", BigInt(1 + pick(120)), {
            budgetId,
            minimumNano: nanos(40),
            fullNano: pick(4) === 0 ? nanos(100) : null,
          });
        });
        const verdicts = await holdMany(sessions, requests, false);
        for (const [index, verdict] of verdicts.entries())
          if (verdict?.kind === "held") live.push(requests[index]?.holdId ?? "");
      } else if (what < 12) {
        const extensions = someHolds().map((holdId) => ({
          holdId,
          addNano: nanos(60),
          recordedNano: nanos(80),
          detail: "{}",
          token: BigInt(step),
        }));
        await extendMany(sessions, extensions, false);
      } else if (what < 18) {
        await settleMany(
          sessions,
          someHolds().map((holdId) => ({
            holdId,
            chargeNano: pick(5) === 0 ? null : nanos(120),
            lossNano: nanos(2),
          })),
        );
      } else if (what === 18) {
        const accountId = accounts[pick(3)] ?? "";
        const amountNano = (BigInt(pick(200)) - 60n || 1n) as Nano;
        await sessions.transaction(async (tx) => {
          if (amountNano > 0n)
            await credit(tx, { accountId, amountNano, reference: newUuid(), kind: "topup" });
          else await adjust(tx, { accountId, amountNano, reference: newUuid(), note: "load" });
        });
      } else {
        const budgetId = budgets[pick(budgets.length)] ?? "";
        if (pick(12) === 0) await closeBudget(sessions, budgetId);
        else
          await sessions.transaction((tx) =>
            updateBudget(tx, {
              budgetId,
              limitNano: (BigInt(pick(600)) + 100n) as Nano,
              period: "total",
            }),
          );
      }
    }
  }

  async function sample(): Promise<number> {
    let samples = 0;
    for (; busy; samples++) {
      const rows = await database.db.query(
        `SELECT account_id AS id FROM ledger.accounts WHERE credited_nano - charged_nano - held_nano < 0
         UNION ALL SELECT budget_id FROM ledger.budgets WHERE limit_nano + excess_nano - period_charged_nano - held_nano < 0`,
      );
      assert.deepEqual(rows, [], "nobody is overspent");
      // In one snapshot the totals and their entries agree while everything moves.
      assert.deepEqual((await database.db.transaction(verify)).mismatches, []);
    }
    return samples;
  }

  const sampling = sample();
  await Promise.all(Array.from({ length: SESSIONS }, (_, number) => session(number))).finally(
    () => {
      busy = false;
    },
  );
  assert.ok((await sampling) > 0);
  assert.deepEqual((await database.db.transaction(verify)).mismatches, []);
  const [stats] = await database.db.query<{ deadlocks: bigint }>(
    "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()",
  );
  assert.equal(stats?.deadlocks, 0n);
});
