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
import { creditByClass } from "../../src/ledger/credit-classes.store.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { until } from "../support/until.ts";
import type { MoneyOrder, MoneyReport } from "./credit-process.ts";

const ROUBLE = 1_000_000_000n;
const PROCESSES = 2;
const REFERENCES = 12;

interface Worker {
  work(orders: readonly MoneyOrder[]): Promise<readonly string[]>;
  close(): void;
  kill(): void;
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
      const answered = Promise.race([once(child, "message"), once(child, "exit").then(() => [])]);
      child.send(orders);
      const [report] = (await answered) as [MoneyReport?];
      assert.ok(report !== undefined, "it is gone");
      assert.ok("outcomes" in report);
      return report.outcomes;
    },
    close: () => child.disconnect(),
    kill: () => child.kill("SIGKILL"),
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

test("corrections of each class of credit take from their own, from whichever process", async () => {
  const accountId = await newAccount();
  const give = { kind: "credit", accountId } as const;
  await everywhere([
    { ...give, amount: "25", ref: `paid-${accountId}` },
    { ...give, amount: "15", class: "bonus", ref: `bonus-${accountId}` },
    { ...give, amount: "5", class: "trial", ref: `trial-${accountId}` },
  ]);
  const outcomes = await Promise.all(
    workers.map((worker, index) =>
      worker.work(
        Array.from({ length: 9 }, (_, each) => ({
          kind: "adjust",
          accountId,
          amount: "-10",
          class: (["paid", "bonus", "trial"] as const)[each % 3] ?? "paid",
          ref: `${accountId}-${index}-${each}`,
        })),
      ),
    ),
  );
  assert.equal(outcomes.flat().filter((outcome) => outcome === "booked").length, 3);
  assert.deepEqual(await creditByClass(database.db, accountId), {
    paid: 5n * ROUBLE,
    bonus: 5n * ROUBLE,
    trial: 5n * ROUBLE,
  });
});

test("a process that is killed while it gives has given each gift whole, or not at all", async () => {
  const accountId = await newAccount();
  const orders = Array.from({ length: 60 }, (_, index) => ({
    kind: "credit" as const,
    accountId,
    amount: "1",
    class: (["trial", "bonus"] as const)[index % 2] ?? "bonus",
    ref: `killed-${accountId}-${index}`,
  }));
  const doomed = await startWorker();
  const killed = doomed.work(orders).catch(() => "killed");
  await until("some are given", async () => {
    const { paid, ...gifts } = (await creditByClass(database.db, accountId)) ?? {};
    return paid === 0n && Object.values(gifts).some((left) => left > 0n);
  });
  doomed.kill();
  await killed;
  const { trial = 0n, bonus = 0n } = (await creditByClass(database.db, accountId)) ?? {};
  const entries = await database.db.query<{ class: string }>(
    "SELECT class::text FROM ledger.entries WHERE account_id = $1",
    [accountId],
  );
  assert.equal(trial + bonus, BigInt(entries.length) * ROUBLE);
  assert.deepEqual((await verifyLedger(database.db)).mismatches, []);
  await everywhere(orders);
  assert.deepEqual(await creditByClass(database.db, accountId), {
    paid: 0n,
    trial: 30n * ROUBLE,
    bonus: 30n * ROUBLE,
  });
});

test("the books agree after all of this", async () => {
  assert.deepEqual((await verifyLedger(database.db)).mismatches, []);
});
