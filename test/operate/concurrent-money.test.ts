/**
 * Guarantee: whatever several operators do at once in several processes, a reference is booked
 * once, nothing below zero, and each booking has its one row in the log.
 */
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { listActions } from "../../src/business/operate/audit.store.ts";
import { createAccount } from "../../src/business/accounts/create-account.ts";
import { verifyLedger } from "../../src/business/operate/verify-ledger.ts";
import type { Uuid } from "../../src/kernel/ids.ts";
import { balance } from "../../src/ledger/accounts.store.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import type { MoneyOrder, MoneyReport } from "./credit-process.ts";

const ROUBLE = 1_000_000_000n;
const PROCESSES = 2;
const REFERENCES = 12;

interface Worker {
  work(orders: readonly MoneyOrder[]): Promise<readonly string[]>;
  close(): void;
}

let database: TestDatabase;
let workers: readonly Worker[];
before(async () => {
  database = await testDatabase();
  workers = await Promise.all(Array.from({ length: PROCESSES }, startWorker));
});
after(async () => {
  for (const worker of workers) worker.close();
  await database.drop();
});

async function startWorker(): Promise<Worker> {
  const child = fork(join(import.meta.dirname, "credit-process.ts"), [database.url]);
  await once(child, "message");
  return {
    async work(orders) {
      const answered = once(child, "message");
      child.send(orders);
      const [report] = (await answered) as [MoneyReport];
      assert.ok("outcomes" in report);
      return report.outcomes;
    },
    close: () => child.disconnect(),
  };
}

async function newAccount(): Promise<Uuid> {
  const outcome = await createAccount(database.db, {
    name: "customer",
    email: null,
    operator: false,
  });
  assert.ok(outcome.kind === "created");
  return outcome.accountId;
}

/** The same orders to every process, at the same time, each twice. */
async function everywhere(orders: readonly MoneyOrder[]): Promise<string[]> {
  return (await Promise.all(workers.map((worker) => worker.work([...orders, ...orders])))).flat();
}

async function auditRows(accountId: Uuid): Promise<number> {
  const search = {
    accountId,
    memberId: null,
    action: null,
    from: null,
    to: null,
    before: null,
    limit: 1000,
  };
  return (await listActions(database.db, search)).length;
}

for (const kind of ["credit", "adjust"] as const) {
  test(`the same ${kind}s from two processes at once are booked once each`, async () => {
    const accountId = await newAccount();
    const orders = Array.from({ length: REFERENCES }, (_, index) => ({
      kind,
      accountId,
      amount: "10.5",
      ref: `${kind}-${accountId}-${index}`,
    }));
    const outcomes = await everywhere(orders);
    assert.equal(outcomes.filter((outcome) => outcome === "booked").length, REFERENCES);
    assert.equal(
      outcomes.filter((outcome) => outcome === "repeated").length,
      REFERENCES * (2 * PROCESSES - 1),
    );
    assert.equal(
      (await balance(database.db, accountId))?.balanceNano,
      (105n * ROUBLE * BigInt(REFERENCES)) / 10n,
    );
    assert.equal(await auditRows(accountId), REFERENCES);
  });
}

test("corrections that together would take more than there is take no more than there is", async () => {
  const accountId = await newAccount();
  await everywhere([{ kind: "credit", accountId, amount: "25", ref: `start-${accountId}` }]);
  const outcomes = await Promise.all(
    workers.map((worker, index) =>
      worker.work(
        Array.from({ length: 6 }, (_, each) => ({
          kind: "adjust",
          accountId,
          amount: "-10",
          ref: `${accountId}-${index}-${each}`,
        })),
      ),
    ),
  );
  assert.deepEqual(outcomes.flat().toSorted(), [
    ...Array.from({ length: 2 }, () => "booked"),
    ...Array.from({ length: 6 * PROCESSES - 2 }, () => "insufficient_balance"),
  ]);
  assert.equal((await balance(database.db, accountId))?.availableNano, 5n * ROUBLE);
  assert.equal(await auditRows(accountId), 3);
});

test("the books agree after all of this", async () => {
  assert.deepEqual((await verifyLedger(database.db)).mismatches, []);
});
