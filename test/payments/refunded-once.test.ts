/**
 * Protects: no more is refunded than was paid and a refund is made exactly once, however many
 * operators and processes refund at once, and wherever one of them dies.
 */
import assert from "node:assert/strict";
import { fork, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { PaymentRefund } from "../../src/contract/panel/operator-payments.ts";
import { adjustAccount } from "../../src/business/operate/move-money.ts";
import { verifyLedger } from "../../src/business/operate/verify-ledger.ts";
import { checkRefund } from "../../src/business/payments/check-refund.ts";
import type { Uuid } from "../../src/kernel/ids.ts";
import { createSandbox, type Sandbox } from "../../sandbox/create-sandbox.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { until } from "../support/until.ts";
import { openPaymentWorld, type PaymentWorld } from "./payment-world.ts";
import type { RefundOrder, RefundProcessOptions, Stop } from "./refund-process.ts";
import {
  askRefund,
  lookAtRefunds,
  moneyOf,
  movesOf,
  payTopUp,
  refundedThere,
  type Paid,
} from "./refund-scene.ts";

let database: TestDatabase;
let sandbox: Sandbox;
/** Has payments credited; its refunds are asked about by others. */
let shop: PaymentWorld;
const children: ChildProcess[] = [];
const CLAIM_MS = 2_000;

before(async () => {
  database = await testDatabase();
  sandbox = await createSandbox({ port: 0, host: "127.0.0.1" });
  shop = await openPaymentWorld({ databaseUrl: database.url, sandboxUrl: sandbox.url });
});
after(async () => {
  for (const child of children) child.kill("SIGKILL");
  const { mismatches } = await verifyLedger(database.db);
  await shop.close();
  await sandbox.close();
  await database.drop();
  assert.deepEqual(mismatches, []);
});

interface Running {
  /** Its answer; there is none where it stops. */
  refund(order: RefundOrder): Promise<number>;
  readonly stopped: Promise<void>;
  /** On from where it stopped. */
  go(): void;
  kill(): Promise<void>;
}

async function start(stop: Stop = null): Promise<Running> {
  const given: RefundProcessOptions = {
    databaseUrl: database.url,
    sandboxUrl: sandbox.url,
    stop,
    claimMs: CLAIM_MS,
  };
  const child = fork(join(import.meta.dirname, "refund-process.ts"), [JSON.stringify(given)], {
    stdio: "inherit",
  });
  children.push(child);
  const ready = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  const answers: ((status: number) => void)[] = [];
  child.once("exit", (code) => ready.reject(new Error(`the process ended with ${code}`)));
  child.on("message", (message: { ready?: true; stopped?: true; answered?: number }) => {
    if (message.ready !== undefined) ready.resolve();
    if (message.stopped !== undefined) stopped.resolve();
    if (message.answered !== undefined) answers.shift()?.(message.answered);
  });
  await ready.promise;
  return {
    refund(order) {
      const answered = Promise.withResolvers<number>();
      answers.push(answered.resolve);
      child.send(order);
      return answered.promise;
    },
    stopped: stopped.promise,
    go: () => void child.send("go"),
    async kill() {
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await gone;
    },
  };
}

const pay = (amount: string): Promise<Paid> => payTopUp(database.db, shop, amount);
const money = (accountId: Uuid): Promise<string> => moneyOf(database.db, accountId);
const there = (paymentId: Uuid): Promise<string> =>
  refundedThere(database.db, sandbox.url, paymentId);

function rows(paymentId: Uuid): Promise<Pick<PaymentRefund, "refundId" | "state">[]> {
  return database.db.query(
    `SELECT refund_id AS "refundId", state FROM payments.refunds WHERE payment_id = $1`,
    [paymentId],
  );
}

/** The refund is over, and so is all that follows of it. */
function settled({ paymentId }: Paid, state: PaymentRefund["state"]): Promise<boolean> {
  return until(`the refund ${state}`, async () => {
    const [found] = await rows(paymentId);
    return found?.state === state;
  });
}

/** Goes on, and dies in the middle of its transaction, at a lock that the test holds. */
async function killWhileLocked(doomed: Running, lock: string, id: Uuid): Promise<void> {
  await database.db.transaction(async (tx) => {
    await tx.query(lock, [id]);
    doomed.go();
    await someoneWaits();
    await doomed.kill();
  });
}

function someoneWaits(): Promise<boolean> {
  return until("something waits for a lock", async () => {
    const waiting = await database.db.query(
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    return waiting.length > 0;
  });
}

test("operators of two processes refund one payment piece by piece, all at once: all of it goes back and not a kopeck more", async () => {
  const both = await Promise.all([start(), start()]);
  const paid = await pay("1000");
  const { accountId, paymentId } = paid;
  let refused = 0;
  await Promise.all(
    both.flatMap((one) =>
      Array.from({ length: 4 }, async () => {
        for (;;) {
          const { left } = await lookAtRefunds(shop, paid);
          if (left === "0") return;
          const status = await one.refund({ accountId, paymentId, amount: "100" });
          assert.ok(status === 201 || status === 409 || status === 400, String(status));
          if (status !== 201) refused += 1;
        }
      }),
    ),
  );
  assert.ok(refused > 0, "they met");
  assert.equal((await rows(paymentId)).length, 10);
  assert.deepEqual([await money(accountId), await there(paymentId)], ["1", "1000.00"]);
  await Promise.all(both.map((one) => one.kill()));
});

test("refunds of two payments take no more than the account has, from two processes at once", async () => {
  const paid = await pay("500");
  const { accountId } = paid;
  const second = await payTopUp(database.db, shop, "500", accountId);
  const operator = { memberId: accountId, email: "staff@example.com" };
  await adjustAccount(database.db, operator, accountId, { amount: "-500", reason: "spent" });
  const [one, other] = await Promise.all([start(), start()]);
  const statuses = await Promise.all([
    one.refund({ accountId, paymentId: paid.paymentId, amount: "500" }),
    other.refund({ accountId, paymentId: second.paymentId, amount: "500" }),
  ]);
  assert.deepEqual(statuses.toSorted(), [201, 402]);
  assert.equal(await money(accountId), "1");
  await Promise.all([one.kill(), other.kill()]);
});

test("killed while the money is taken and the row is not written: neither is there", async () => {
  const paid = await pay("500");
  const { accountId, paymentId } = paid;
  const doomed = await start();
  await database.db.transaction(async (tx) => {
    await tx.query("LOCK TABLE payments.refunds IN SHARE MODE");
    void doomed.refund({ accountId, paymentId, amount: "200" });
    await until("the money is taken", async () => {
      const [waits] = await database.db.query(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%INSERT INTO payments.refunds%'",
      );
      return waits !== undefined;
    });
    await doomed.kill();
  });
  assert.deepEqual(await rows(paymentId), []);
  assert.deepEqual([await money(accountId), await there(paymentId)], ["501", "0.00"]);
});

for (const [step, stop] of [
  ["before the provider is asked", "before the provider is asked"],
  ["when the provider has made it", "before its answer is noted"],
] as const)
  test(`killed ${step}: another process has it made, once`, async () => {
    const paid = await pay("500");
    const { accountId, paymentId } = paid;
    const doomed = await start(stop);
    void doomed.refund({ accountId, paymentId, amount: "200" });
    await doomed.stopped;
    await doomed.kill();
    assert.equal(await money(accountId), "301", "the money was taken first");
    await settled(paid, "succeeded");
    assert.deepEqual([await money(accountId), await there(paymentId)], ["301", "200.00"]);
    assert.equal((await movesOf(database.db, accountId)).length, 1);
  });

test("killed while the answer is noted: another process notes it", async () => {
  const paid = await pay("500");
  const { accountId, paymentId } = paid;
  const doomed = await start("before its answer is noted");
  void doomed.refund({ accountId, paymentId, amount: "100" });
  await doomed.stopped;
  await killWhileLocked(
    doomed,
    "SELECT 1 FROM payments.payments WHERE payment_id = $1 FOR UPDATE",
    paymentId,
  );
  await settled(paid, "succeeded");
  assert.deepEqual([await money(accountId), await there(paymentId)], ["401", "100.00"]);
});

test("killed while the money of a refused refund is given back: it is given back once", async () => {
  const paid = await pay("500");
  const { accountId, paymentId } = paid;
  const doomed = await start("before the provider is asked");
  void doomed.refund({ accountId, paymentId, amount: "100.34" });
  await doomed.stopped;
  await killWhileLocked(
    doomed,
    "SELECT 1 FROM ledger.accounts WHERE account_id = $1 FOR UPDATE",
    accountId,
  );
  assert.equal(await money(accountId), "400.66");
  await settled(paid, "canceled");
  assert.deepEqual([await money(accountId), await there(paymentId)], ["501", "0.00"]);
  assert.deepEqual(
    (await movesOf(database.db, accountId)).map(({ reference }) => reference),
    ["refund", "refund-returned"],
  );
});

test("checks of one refused refund that run at the same time give its money back once", async () => {
  const paid = await pay("500");
  const { accountId, paymentId } = paid;
  const doomed = await start("before the provider is asked");
  void doomed.refund({ accountId, paymentId, amount: "100.33" });
  await doomed.stopped;
  await doomed.kill();
  const [row] = await rows(paymentId);
  const key = { accountId, refundId: row?.refundId ?? "" };
  await Promise.all(
    Array.from({ length: 20 }, () => checkRefund(shop.deps, key, new AbortController().signal)),
  );
  await settled(paid, "canceled");
  assert.equal((await movesOf(database.db, accountId)).length, 2);
  assert.deepEqual([await money(accountId), await there(paymentId)], ["501", "0.00"]);
  assert.equal((await askRefund(shop, paid, "500")).status, 201);
});
