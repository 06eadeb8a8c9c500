/**
 * Protects: what an operator refunds is taken from what was paid and is not spent, is paid back by
 * the provider once, and is on the account again where the provider refuses it.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { PanelErrorBody } from "../../src/contract/panel/panel-error.ts";
import type { LedgerPage } from "../../src/contract/panel/ledger-entry.ts";
import { movementOf } from "../../src/contract/enums/movement.ts";
import type {
  OperatorPaymentList,
  PaymentRefund,
} from "../../src/contract/panel/operator-payments.ts";
import type { TopUp } from "../../src/contract/panel/top-up.ts";
import { verifyLedger } from "../../src/business/operate/verify-ledger.ts";
import type { Uuid } from "../../src/kernel/ids.ts";
import { formatRoubles, nano, parseRoubles, ZERO_NANO } from "../../src/kernel/money.ts";
import { holdIn, settleIn } from "../../src/ledger/holds.store.ts";
import { credit } from "../../src/ledger/transfers.store.ts";
import { createSandbox, type Sandbox } from "../../sandbox/create-sandbox.ts";
import type { RefundWish } from "../../src/upstreams/payments/payment-provider.ts";
import { exactHold } from "../ledger/ledger-world.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import type { PanelAnswer } from "../support/panel-endpoint.ts";
import { until } from "../support/until.ts";
import { payOnPage } from "./pay-on-page.ts";
import { openPaymentWorld, type PaymentWorld } from "./payment-world.ts";
import {
  askRefund,
  lookAtRefunds,
  moneyOf,
  movesOf,
  OPERATOR_EMAIL,
  operatorOf,
  payTopUp,
  refund,
  refundedThere,
  type Paid,
} from "./refund-scene.ts";

const TERMS = { vatCode: 11, taxSystemCode: 1, subject: "service", mode: "advance" } as const;

let database: TestDatabase;
let sandbox: Sandbox;
let world: PaymentWorld;
const wishes: RefundWish[] = [];

before(async () => {
  database = await testDatabase();
  sandbox = await createSandbox({ port: 0, host: "127.0.0.1" });
  world = await openPaymentWorld({ databaseUrl: database.url, sandboxUrl: sandbox.url });
});
after(async () => {
  const verified = await verifyLedger(database.db);
  await world.close();
  await sandbox.close();
  await database.drop();
  assert.deepEqual(verified.mismatches, []);
});

const pay = (amount: string): Promise<Paid> => payTopUp(database.db, world, amount);
const money = (accountId: Uuid): Promise<string> => moneyOf(database.db, accountId);
const there = (paymentId: Uuid): Promise<string> =>
  refundedThere(database.db, sandbox.url, paymentId);

function reasonOf(answer: PanelAnswer): readonly [number, string | null | undefined] {
  return [answer.status, answer.json<PanelErrorBody>().error.reason];
}

function ended(paid: Paid, state: PaymentRefund["state"]): Promise<PaymentRefund> {
  return until(`a refund ${state}`, async () => {
    const [newest] = (await lookAtRefunds(world, paid)).data;
    return newest?.state === state && newest;
  });
}

/** Of a payment: how much operators were told to be paid back elsewhere, in all. */
function reportedElsewhere(paymentId: Uuid): string {
  const sums = world.alerts.flatMap((alert) =>
    alert.kind === "payment_refunded" && alert.paymentId === paymentId
      ? [parseRoubles(alert.amount) ?? 0n]
      : [],
  );
  return formatRoubles(nano(sums.reduce((sum, one) => sum + one, 0n)));
}

test("a payment is refunded in two parts: the balance, the provider, the customer's pages and the log agree, and nothing more of it can be", async () => {
  const paid = await pay("500.50");
  const { accountId, paymentId, member } = paid;
  assert.deepEqual(await lookAtRefunds(world, paid), {
    available: true,
    left: "500.5",
    balance: "501.5",
    held: "0",
    paidLeft: "501.5",
    data: [],
  });
  const first = await refund(world, paid, "200.25");
  assert.deepEqual([first.state, first.amount, first.by], ["succeeded", "200.25", OPERATOR_EMAIL]);
  assert.deepEqual([await money(accountId), await there(paymentId)], ["301.25", "200.25"]);
  assert.equal((await lookAtRefunds(world, paid)).left, "300.25");
  await refund(world, paid, "300.25");
  assert.deepEqual([await money(accountId), await there(paymentId)], ["1", "500.50"]);
  assert.deepEqual(reasonOf(await askRefund(world, paid, "0.01")), [400, "refund_range"]);

  const topUp = await until("the top-up says so", async () => {
    const path = `/panel/api/top-ups/${paymentId}`;
    const now = (await world.endpoint.ask(member, "GET", path)).json<TopUp>();
    return now.refunded === "500.5" && now;
  });
  assert.equal(topUp.state, "succeeded");
  const list = await world.endpoint.ask(
    operatorOf(accountId),
    "GET",
    `/panel/api/operator/payments?account=${accountId}`,
  );
  const [row] = list.json<OperatorPaymentList>().data;
  assert.deepEqual([row?.refunded, row?.refundedElsewhere, row?.refundable], ["500.5", "0", "0"]);
  assert.deepEqual(await movesOf(database.db, accountId), [
    { reference: "refund", nano: -200_250_000_000n },
    { reference: "refund", nano: -300_250_000_000n },
  ]);
  const logged = await database.db.query(
    "SELECT actor, reason, after->>'amount' AS amount FROM audit.actions WHERE action = 'payment.refund' AND subject = $1 ORDER BY at",
    [paymentId],
  );
  const about = { actor: OPERATOR_EMAIL, reason: "She asked for it" };
  assert.deepEqual(logged, [
    { ...about, amount: "200.25" },
    { ...about, amount: "300.25" },
  ]);
  // Both reports of the provider were heard by then, and neither was taken for a stranger's refund.
  await until("nothing is due", async () => {
    const due = await database.db.query(
      "SELECT 1 FROM payments.payments WHERE payment_id = $1 AND due_at IS NOT NULL",
      [paymentId],
    );
    return due.length === 0;
  });
  assert.equal(reportedElsewhere(paymentId), "0");
});

test("the same reference is one refund; another one of what was left before is refused, so of two operators one refunds", async () => {
  const paid = await pay("300");
  const { accountId, paymentId } = paid;
  const sent = { left: "300", ref: "click" };
  const twice = await Promise.all([
    askRefund(world, paid, "100", sent),
    askRefund(world, paid, "100", sent),
  ]);
  assert.deepEqual(
    twice.map(({ status }) => status),
    [201, 201],
  );
  assert.equal(new Set(twice.map((one) => one.json<PaymentRefund>().refundId)).size, 1);
  assert.deepEqual([await money(accountId), await there(paymentId)], ["201", "100.00"]);
  assert.deepEqual(reasonOf(await askRefund(world, paid, "50", sent)), [409, "reference_taken"]);
  const both = await Promise.all([
    askRefund(world, paid, "60", { left: "200" }),
    askRefund(world, paid, "60", { left: "200" }),
  ]);
  assert.deepEqual(both.map(({ status }) => status).toSorted(), [201, 409]);
  assert.deepEqual([await money(accountId), await there(paymentId)], ["141", "160.00"]);
});

test("what is spent, held or given is not refunded, and it is said what could be", async () => {
  const paid = await pay("500");
  const { accountId, paymentId } = paid;
  const { db } = database;
  await credit(db, {
    accountId,
    amountNano: nano(200_000_000_000n),
    reference: `gift ${accountId}`,
    kind: "topup",
    creditClass: "bonus",
  });
  const spent = exactHold(accountId, 250_000_000_000n);
  const held = exactHold(accountId, 100_000_000_000n);
  await db.transaction(async (tx) => {
    for (const hold of [spent, held]) assert.equal((await holdIn(tx, hold)).kind, "held");
    const chargeNano = nano(250_000_000_000n);
    await settleIn(tx, { accountId, holdId: spent.holdId, chargeNano, lossNano: ZERO_NANO });
  });
  // The bonus went first: 501 − (250 + 100 − 200).
  assert.equal((await lookAtRefunds(world, paid)).paidLeft, "451");
  const refused = await askRefund(world, paid, "351.01");
  assert.deepEqual(reasonOf(refused), [402, "refund_spent"]);
  assert.match(refused.text, /351/);
  assert.deepEqual([await money(accountId), await there(paymentId)], ["451", "0.00"]);
  assert.deepEqual(await movesOf(db, accountId), []);
  await refund(world, paid, "351");
  assert.deepEqual([await money(accountId), await there(paymentId)], ["100", "351.00"]);
});

test("a refund that the provider works at is asked about until it is over", async () => {
  const paid = await pay("500");
  const { accountId, paymentId } = paid;
  const begun = await refund(world, paid, "100.31");
  assert.deepEqual([begun.state, await money(accountId)], ["pending", "400.69"]);
  assert.equal((await lookAtRefunds(world, paid)).left, "399.69");
  await ended(paid, "succeeded");
  assert.deepEqual([await money(accountId), await there(paymentId)], ["400.69", "100.31"]);
  assert.equal(reportedElsewhere(paymentId), "0");
});

test("a refund whose answer is lost is asked for again under its key, and made once", async () => {
  for (const amount of ["100.35", "100.36", "100.37", "100.38"]) {
    const paid = await pay("500");
    assert.equal((await refund(world, paid, amount)).state, "created");
    await ended(paid, "succeeded");
    const left = amount.replace("100", "500").slice(0, -2);
    assert.deepEqual(
      [await there(paid.paymentId), (await movesOf(database.db, paid.accountId)).length],
      [amount, 1],
      left,
    );
  }
});

test("a refusal gives nothing back while the provider has the refund: it is looked for among all of the payment", async () => {
  const paid = await pay("500");
  await refund(world, paid, "10");
  assert.equal((await refund(world, paid, "100.39")).state, "created");
  await refund(world, paid, "20");
  await until("the lost one is over", async () => {
    const { data } = await lookAtRefunds(world, paid);
    return data.find(({ amount }) => amount === "100.39")?.state === "succeeded";
  });
  assert.deepEqual(
    [await money(paid.accountId), await there(paid.paymentId)],
    ["370.61", "130.39"],
  );
});

test("what the provider finally refuses is on the account again, once, and an operator hears of it", async () => {
  for (const [amount, failure] of [
    ["100.32", "insufficient_funds"],
    ["100.33", "insufficient_funds"],
    ["100.34", "provider_refused"],
  ] as const) {
    const paid = await pay("500");
    const { accountId, paymentId, member } = paid;
    await refund(world, paid, amount);
    assert.equal((await ended(paid, "canceled")).failure, failure);
    assert.deepEqual([await money(accountId), await there(paymentId)], ["501", "0.00"]);
    assert.deepEqual(
      (await movesOf(database.db, accountId)).map(({ reference }) => reference),
      ["refund", "refund-returned"],
    );
    assert.deepEqual(
      world.alerts.filter((one) => one.paymentId === paymentId).map(({ kind }) => kind),
      ["refund_refused"],
    );
    // And can be tried again.
    assert.equal((await lookAtRefunds(world, paid)).left, "500");
    await refund(world, paid, "500");
    assert.deepEqual([await money(member.accountId), await there(paymentId)], ["1", "500.00"]);
  }
});

test("what is refunded at the provider's own site is told as such beside our refunds, once and without theirs", async () => {
  const paid = await pay("500");
  const { accountId, paymentId, redirectUrl } = paid;
  await refund(world, paid, "100");
  await payOnPage(redirectUrl, "refund");
  await until("it is told", async () => reportedElsewhere(paymentId) === "400");
  assert.deepEqual([await money(accountId), await there(paymentId)], ["401", "500.00"]);
  assert.equal((await lookAtRefunds(world, paid)).left, "0");
  const { status } = await askRefund(world, paid, "1", { left: "400" });
  assert.equal(status, 409);

  // While one of ours is not over, it is not known of how much of a report that is so.
  const other = await pay("500");
  await refund(world, other, "200.31");
  await payOnPage(other.redirectUrl, "refund");
  await ended(other, "succeeded");
  await until("it is told", async () => reportedElsewhere(other.paymentId) === "299.69");
  assert.equal(await money(other.accountId), "300.69");
});

test("only what was credited through the provider that is configured can be refunded, and only by operators", async () => {
  const paid = await pay("100");
  const { accountId, paymentId, member } = paid;
  const path = `/panel/api/operator/payments/${paymentId}/refunds`;
  const body = { amount: "1", left: "100", reason: "x", ref: "x" };
  assert.equal((await world.endpoint.ask(member, "POST", path, body)).status, 404);
  assert.equal((await world.endpoint.ask(member, "GET", path)).status, 404);
  for (const amount of ["0", "-1", "0.001", "100.01", "1e1", ""])
    assert.equal((await askRefund(world, paid, amount)).status, 400, amount);
  await database.db.query(
    "UPDATE payments.payments SET provider = 'yookassa' WHERE payment_id = $1",
    [paymentId],
  );
  assert.deepEqual(reasonOf(await askRefund(world, paid, "1")), [409, "refund_impossible"]);
  const nowhere = { accountId, paymentId: accountId };
  assert.equal((await askRefund(world, nowhere, "1", { left: "1" })).status, 404);
  assert.equal(await money(accountId), "101");
});

test("customers find a refund among their movements by its name", async () => {
  const paid = await pay("100");
  await refund(world, paid, "40");
  const rows = await database.db.query<LedgerPage["data"][number]>(
    "SELECT kind, reference, note FROM ledger.entries WHERE account_id = $1 AND kind = 'adjust'",
    [paid.accountId],
  );
  assert.deepEqual(
    rows.map((entry) => [movementOf(entry), entry.note]),
    [["refund", "She asked for it"]],
  );
});

test("a shop that issues receipts gets one with a refund, as the payment's was", async () => {
  const shop = await openPaymentWorld({
    databaseUrl: database.url,
    sandboxUrl: sandbox.url,
    shopId: "54fz-shop",
    receipts: () => [{ from: new Date("2026-01-01"), terms: TERMS }],
    wrap: (provider) => ({
      ...provider,
      createRefund(wish, signal) {
        wishes.push(wish);
        return provider.createRefund(wish, signal);
      },
    }),
  });
  try {
    const paid = await payTopUp(database.db, shop, "300");
    assert.equal((await refund(shop, paid, "100.50")).state, "succeeded");
    const { email } = paid.member;
    assert.deepEqual(wishes.at(-1)?.receipt, { ...TERMS, email, item: "Пополнение баланса" });
    assert.equal(await there(paid.paymentId), "100.50");
  } finally {
    await shop.close();
  }
});
