/**
 * Protects: a top-up is credited exactly once, whatever number of processes hears of it, how often,
 * and whichever of them dies.
 */
import assert from "node:assert/strict";
import { fork, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { TopUpBegun } from "../../src/contract/panel/top-up.ts";
import { checkPayment } from "../../src/business/payments/check-payment.ts";
import { verifyLedger } from "../../src/business/operate/verify-ledger.ts";
import type { Uuid } from "../../src/kernel/ids.ts";
import { formatRoubles } from "../../src/kernel/money.ts";
import { balance } from "../../src/ledger/accounts.store.ts";
import { createSandbox, type Sandbox } from "../../sandbox/create-sandbox.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { newAccount } from "../support/new-customer.ts";
import { panelMember } from "../support/panel-endpoint.ts";
import { until } from "../support/until.ts";
import { payOnPage } from "./pay-on-page.ts";
import type { PaymentProcessOptions } from "./payment-process.ts";
import { openPaymentWorld, type PaymentWorld } from "./payment-world.ts";

interface Running {
  readonly child: ChildProcess;
  readonly url: string;
  /** Resolves when it was told that a payment was paid. */
  readonly paid: Promise<void>;
}

let database: TestDatabase;
let sandbox: Sandbox;
/** Begins top-ups and does nothing else. */
let shop: PaymentWorld;
const children: ChildProcess[] = [];

before(async () => {
  database = await testDatabase();
  sandbox = await createSandbox({ port: 0, host: "127.0.0.1" });
  shop = await openPaymentWorld({
    databaseUrl: database.url,
    sandboxUrl: sandbox.url,
    works: false,
  });
});
after(async () => {
  for (const child of children) child.kill("SIGKILL");
  const { mismatches } = await verifyLedger(database.db);
  await shop.close();
  await sandbox.close();
  await database.drop();
  assert.deepEqual(mismatches, []);
});

function start(
  options: Pick<PaymentProcessOptions, "stopsWhenPaid" | "claimMs">,
): Promise<Running> {
  const given: PaymentProcessOptions = {
    databaseUrl: database.url,
    sandboxUrl: sandbox.url,
    ...options,
  };
  const child = fork(join(import.meta.dirname, "payment-process.ts"), [JSON.stringify(given)], {
    stdio: "inherit",
  });
  children.push(child);
  const started = Promise.withResolvers<Running>();
  const paid = Promise.withResolvers<void>();
  child.once("exit", (code) => started.reject(new Error(`the process ended with ${code}`)));
  child.on("message", (message: { url?: string; paid?: string }) => {
    if (message.paid !== undefined) paid.resolve();
    if (message.url !== undefined) started.resolve({ child, url: message.url, paid: paid.promise });
  });
  return started.promise;
}

async function stop({ child }: Running): Promise<void> {
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await gone;
}

async function begin(
  accountId: Uuid,
  amount: string,
): Promise<TopUpBegun & { readonly providerPaymentId: string }> {
  const answer = await shop.endpoint.ask(panelMember({ accountId }), "POST", "/panel/api/top-ups", {
    amount,
    method: "sbp",
  });
  assert.equal(answer.status, 201, answer.text);
  const begun = answer.json<TopUpBegun>();
  const [row] = await database.db.query<{ id: string }>(
    "SELECT provider_payment_id AS id FROM payments.payments WHERE payment_id = $1",
    [begun.topUpId],
  );
  return { ...begun, providerPaymentId: row?.id ?? "" };
}

function notify(url: string, providerPaymentId: string): Promise<number> {
  const body = JSON.stringify({
    type: "notification",
    event: "payment.succeeded",
    object: { id: providerPaymentId },
  });
  return fetch(`${url}/payments/notify/sandbox`, { method: "POST", body }).then(
    ({ status }) => status,
  );
}

async function credits(
  accountId: Uuid,
): Promise<{ readonly balance: string | null; readonly entries: number }> {
  const found = await balance(database.db, accountId);
  const rows = await database.db.query(
    "SELECT 1 FROM ledger.entries WHERE account_id = $1 AND kind = 'topup'",
    [accountId],
  );
  return {
    balance: found === null ? null : formatRoubles(found.balanceNano),
    entries: rows.length,
  };
}

function succeeded(topUpId: Uuid): Promise<boolean> {
  return until("the top-up succeeds", async () => {
    const rows = await database.db.query(
      "SELECT 1 FROM payments.payments WHERE payment_id = $1 AND state = 'succeeded'",
      [topUpId],
    );
    return rows.length === 1;
  });
}

test("a hundred notifications at once at two processes, of each of five payments, credit each once", async () => {
  const both = await Promise.all([
    start({ stopsWhenPaid: false, claimMs: 60_000 }),
    start({ stopsWhenPaid: false, claimMs: 60_000 }),
  ]);
  const payments = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const accountId = await newAccount(database.db, "1");
      return { accountId, ...(await begin(accountId, "1234.13")) };
    }),
  );
  await Promise.all(payments.map(({ redirectUrl }) => payOnPage(redirectUrl, "pay")));
  const statuses = await Promise.all(
    payments.flatMap(({ providerPaymentId }) =>
      Array.from({ length: 100 }, (_, index) =>
        notify(both[index % 2]?.url ?? "", providerPaymentId),
      ),
    ),
  );
  assert.deepEqual([...new Set(statuses)], [200]);
  for (const { topUpId } of payments) await succeeded(topUpId);
  // Some more, now that it is over.
  await Promise.all(
    payments.map(({ providerPaymentId }, index) =>
      notify(both[index % 2]?.url ?? "", providerPaymentId),
    ),
  );
  await until("nothing is due any more", async () => {
    const due = await database.db.query("SELECT 1 FROM payments.payments WHERE due_at IS NOT NULL");
    return due.length === 0;
  });
  for (const { accountId } of payments)
    assert.deepEqual(await credits(accountId), { balance: "1235.13", entries: 2 });
  await Promise.all(both.map(stop));
});

test("checks of one payment that run at the same time credit it once", async () => {
  const accountId = await newAccount(database.db, "1");
  const { topUpId, redirectUrl } = await begin(accountId, "50.13");
  await payOnPage(redirectUrl, "pay");
  await Promise.all(
    Array.from({ length: 30 }, () =>
      checkPayment(shop.deps, { accountId, paymentId: topUpId }, new AbortController().signal),
    ),
  );
  assert.deepEqual(await credits(accountId), { balance: "51.13", entries: 2 });
});

test("a process that dies between the provider's word and the credit leaves it to another, which credits once", async () => {
  const accountId = await newAccount(database.db, "1");
  const { topUpId, redirectUrl, providerPaymentId } = await begin(accountId, "77.13");
  await payOnPage(redirectUrl, "pay");
  const doomed = await start({ stopsWhenPaid: true, claimMs: 2_000 });
  assert.equal(await notify(doomed.url, providerPaymentId), 200);
  await doomed.paid;
  await stop(doomed);
  assert.deepEqual(await credits(accountId), { balance: "1", entries: 1 });
  const heir = await start({ stopsWhenPaid: false, claimMs: 2_000 });
  await succeeded(topUpId);
  assert.deepEqual(await credits(accountId), { balance: "78.13", entries: 2 });
  await stop(heir);
});

test("a creation that hangs in one process is taken up by another, and both find the same payment", async () => {
  const accountId = await newAccount(database.db, "1");
  // The provider hangs at the first creation; the test goes on without its answer.
  const answer = shop.endpoint.ask(panelMember({ accountId }), "POST", "/panel/api/top-ups", {
    amount: "88.18",
    method: "sbp",
  });
  const paymentId = await until("the payment is written", async () => {
    const [row] = await database.db.query<{ id: Uuid }>(
      "SELECT payment_id AS id FROM payments.payments WHERE account_id = $1",
      [accountId],
    );
    return row?.id ?? null;
  });
  await database.db.query("UPDATE payments.payments SET due_at = now() WHERE payment_id = $1", [
    paymentId,
  ]);
  const worker = await start({ stopsWhenPaid: false, claimMs: 60_000 });
  const url = await until("there is a page", async () => {
    const [row] = await database.db.query<{ url: string | null }>(
      "SELECT redirect_url AS url FROM payments.payments WHERE payment_id = $1",
      [paymentId],
    );
    return row?.url ?? null;
  });
  assert.equal((await answer).json<TopUpBegun>().redirectUrl, url);
  await payOnPage(url, "pay");
  await succeeded(paymentId);
  assert.deepEqual(await credits(accountId), { balance: "89.18", entries: 2 });
  await stop(worker);
});
