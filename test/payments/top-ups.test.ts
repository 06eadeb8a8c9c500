/**
 * Protects: whatever a payment provider does, what is paid is credited once, and what is not paid
 * is not credited.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { MemberCaller } from "../../src/accounts/member-caller.ts";
import type { Billing, TopUp, TopUpBegun, TopUpList } from "../../src/contract/panel/top-up.ts";
import type { Uuid } from "../../src/kernel/ids.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import { formatRoubles } from "../../src/kernel/money.ts";
import { balance } from "../../src/ledger/accounts.store.ts";
import { verifyLedger } from "../../src/business/operate/verify-ledger.ts";
import { createSandbox, type Sandbox } from "../../sandbox/create-sandbox.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { newAccount } from "../support/new-customer.ts";
import { panelMember } from "../support/panel-endpoint.ts";
import { until } from "../support/until.ts";
import { payOnPage } from "./pay-on-page.ts";
import { openPaymentWorld, type PaymentWorld } from "./payment-world.ts";

let database: TestDatabase;
let sandbox: Sandbox;
let world: PaymentWorld;

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

/** With one rouble, so that what is credited shows beside what was there. */
async function newMember(about: Partial<MemberCaller> = {}): Promise<MemberCaller> {
  return panelMember({ accountId: await newAccount(database.db, "1"), ...about });
}

async function begin(member: MemberCaller, amount: string): Promise<TopUpBegun> {
  const answer = await world.endpoint.ask(member, "POST", "/panel/api/top-ups", {
    amount,
    method: "bank_card",
  });
  assert.equal(answer.status, 201, answer.text);
  return answer.json<TopUpBegun>();
}

async function look(member: MemberCaller, topUpId: string): Promise<TopUp> {
  const answer = await world.endpoint.ask(member, "GET", `/panel/api/top-ups/${topUpId}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.json<TopUp>();
}

function ended(member: MemberCaller, topUpId: string, state: TopUp["state"]): Promise<TopUp> {
  return until(`a top-up ${state}`, async () => {
    const topUp = await look(member, topUpId);
    return topUp.state === state && topUp;
  });
}

async function money(accountId: Uuid): Promise<string> {
  const found = await balance(database.db, accountId);
  return found === null ? "" : formatRoubles(found.balanceNano);
}

test("a payment goes through its page, comes back, and is credited to the kopeck", async () => {
  const member = await newMember({ language: "en" });
  const billing = (await world.endpoint.ask(member, "GET", "/panel/api/billing")).json<Billing>();
  assert.deepEqual(
    [billing.available, billing.sandbox, billing.balance, billing.minAmount],
    [true, true, "1", "10"],
  );
  const { topUpId, redirectUrl } = await begin(member, "500.50");
  assert.equal((await look(member, topUpId)).state, "pending");
  const page = await (await fetch(redirectUrl)).text();
  assert.match(page, /Balance top-up/);
  assert.match(await (await fetch(`${redirectUrl}?lang=ru`)).text(), /Оплатить/);
  assert.equal(
    await payOnPage(redirectUrl, "pay"),
    `${world.endpoint.url}/panel/billing?topUp=${topUpId}`,
  );
  const topUp = await ended(member, topUpId, "succeeded");
  assert.deepEqual(
    [topUp.amount, topUp.refunded, topUp.redirectUrl, topUp.reason],
    ["500.5", "0", null, null],
  );
  assert.equal(await money(member.accountId), "501.5");
});

test("what is not paid is not credited, and says why", async () => {
  for (const [act, reason] of [
    ["fail", "declined"],
    ["cancel", "canceled_by_payer"],
  ] as const) {
    const member = await newMember();
    const { topUpId, redirectUrl } = await begin(member, "100");
    await payOnPage(redirectUrl, act);
    assert.equal((await ended(member, topUpId, "canceled")).reason, reason);
    assert.equal(await money(member.accountId), "1");
  }
});

test("notifications that come five times, late, never or before the answer change nothing about the credit", async () => {
  await Promise.all(
    ["200.11", "200.12", "200.13"].map(async (amount) => {
      const member = await newMember();
      const { topUpId, redirectUrl } = await begin(member, amount);
      await payOnPage(redirectUrl, "pay");
      await ended(member, topUpId, "succeeded");
      assert.equal(await money(member.accountId), amount.replace("200", "201"));
    }),
  );
  const member = await newMember();
  const { topUpId } = await begin(member, "200.14");
  await ended(member, topUpId, "succeeded");
  assert.equal(await money(member.accountId), "201.14");
});

test("a creation whose answer is lost makes one payment", async () => {
  await Promise.all(
    ["300.15", "300.16", "300.17", "300.18"].map(async (amount) => {
      const member = await newMember();
      const { topUpId, redirectUrl } = await begin(member, amount);
      await payOnPage(redirectUrl, "pay");
      await ended(member, topUpId, "succeeded");
      assert.equal(await money(member.accountId), amount.replace("300", "301"));
    }),
  );
});

test("a provider that refuses ends the top-up, and the payer hears of it", async () => {
  const member = await newMember();
  const answer = await world.endpoint.ask(member, "POST", "/panel/api/top-ups", {
    amount: "300.19",
    method: "sbp",
  });
  assert.equal(answer.status, 502);
  assert.doesNotMatch(answer.text, /very-secret-key/);
  const { data } = (
    await world.endpoint.ask(member, "GET", "/panel/api/top-ups")
  ).json<TopUpList>();
  assert.deepEqual(
    data.map(({ state, reason, method }) => [state, reason, method]),
    [["failed", "provider_refused", "sbp"]],
  );
});

test("reads that fail, are garbage or hang are done again", async () => {
  await Promise.all(
    ["400.21", "400.22", "400.26"].map(async (amount) => {
      const member = await newMember();
      const { topUpId, redirectUrl } = await begin(member, amount);
      await payOnPage(redirectUrl, "pay");
      await ended(member, topUpId, "succeeded");
      assert.equal(await money(member.accountId), amount.replace("400", "401"));
    }),
  );
});

test("a payment whose amount, currency or purpose is not what was asked for is never credited, and an operator hears of it", async () => {
  for (const [amount, what] of [
    ["500.23", /instead of 500.23/],
    ["500.24", /currency/],
    ["500.25", /something else/],
  ] as const) {
    const member = await newMember();
    const { topUpId, redirectUrl } = await begin(member, amount);
    await payOnPage(redirectUrl, "pay");
    assert.equal((await ended(member, topUpId, "failed")).reason, "mismatch");
    const alert = world.alerts.find((one) => one.paymentId === topUpId);
    assert.ok(alert?.kind === "payment_mismatch" && what.test(alert.what), JSON.stringify(alert));
    assert.equal(await money(member.accountId), "1");
  }
});

test("a refund is recorded and told to an operator; the balance does not follow by itself", async () => {
  const member = await newMember();
  const { topUpId, redirectUrl } = await begin(member, "600");
  await payOnPage(redirectUrl, "pay");
  await ended(member, topUpId, "succeeded");
  await payOnPage(redirectUrl, "refund");
  await until("the refund is known", async () => (await look(member, topUpId)).refunded === "600");
  assert.deepEqual(
    world.alerts.filter((one) => one.paymentId === topUpId).map(({ kind }) => kind),
    ["payment_refunded"],
  );
  assert.equal(await money(member.accountId), "601");
});

test("amounts are from 10 to 1,000,000 roubles with kopecks at most, and only managers top up", async () => {
  const member = await newMember();
  for (const amount of [
    "9.99",
    "0",
    "-5",
    "1000000.01",
    "10.001",
    "1e3",
    "1 000",
    "",
    "99999999",
  ]) {
    const answer = await world.endpoint.ask(member, "POST", "/panel/api/top-ups", {
      amount,
      method: "bank_card",
    });
    assert.equal(answer.status, 400, amount);
  }
  assert.equal(
    (
      await world.endpoint.ask(member, "POST", "/panel/api/top-ups", {
        amount: "100",
        method: "gold",
      })
    ).status,
    400,
  );
  const viewer = { ...member, memberId: newUuid(), role: "viewer" as const };
  assert.equal(
    (
      await world.endpoint.ask(viewer, "POST", "/panel/api/top-ups", {
        amount: "100",
        method: "sbp",
      })
    ).status,
    403,
  );
  for (const amount of ["10", "1000000"]) await begin(member, amount);
});

test("another account's top-up is the same 404 as one that never was", async () => {
  const member = await newMember();
  const { topUpId } = await begin(member, "100");
  const stranger = await newMember();
  const [theirs, none, nonsense] = await Promise.all(
    [topUpId, newUuid(), "x"].map((id) =>
      world.endpoint.ask(stranger, "GET", `/panel/api/top-ups/${id}`),
    ),
  );
  assert.deepEqual([theirs?.status, none?.status, nonsense?.status], [404, 404, 404]);
  const plain = (text: string | undefined): string => (text ?? "").replace(/req_\w+/, "");
  assert.equal(plain(theirs?.text), plain(none?.text));
  assert.deepEqual(
    (await world.endpoint.ask(stranger, "GET", "/panel/api/top-ups")).json<TopUpList>().data,
    [],
  );
});

test("an account has so many unfinished top-ups and no more; the list is paged", async () => {
  const member = await newMember();
  for (let made = 0; made < 20; made += 1) await begin(member, "100");
  const refused = await world.endpoint.ask(member, "POST", "/panel/api/top-ups", {
    amount: "100",
    method: "sbp",
  });
  assert.equal(refused.status, 429);
  const first = (
    await world.endpoint.ask(member, "GET", "/panel/api/top-ups?limit=15")
  ).json<TopUpList>();
  const second = (
    await world.endpoint.ask(
      member,
      "GET",
      `/panel/api/top-ups?limit=15&cursor=${first.nextCursor}`,
    )
  ).json<TopUpList>();
  assert.deepEqual([first.data.length, second.data.length, second.nextCursor], [15, 5, null]);
});

test("reports of anything else are answered in the same way, and ask the provider nothing", async () => {
  const bodies = [
    "",
    "{",
    "[]",
    "null",
    JSON.stringify({ object: { id: "unknown", metadata: { paymentId: newUuid() } } }),
    JSON.stringify({ object: { id: { $gt: "" } } }),
    "x".repeat(200_000),
  ];
  for (const name of ["sandbox", "yookassa", "nobody"]) {
    for (const body of bodies) {
      const answer = await fetch(`${world.endpoint.url}/payments/notify/${name}`, {
        method: "POST",
        body,
      }).catch(() => null);
      // A body past the limit may find the connection closed.
      assert.ok(
        answer === null ? body.length > 100_000 : answer.status === 200,
        `${name} ${body.slice(0, 40)}`,
      );
      assert.equal(answer === null ? "{}" : await answer.text(), "{}");
    }
  }
  // A report that was late may still be looked into.
  await until("nothing that has ended is asked about", async () => {
    const due = await database.db.query(
      "SELECT 1 FROM payments.payments WHERE state = 'succeeded' AND due_at IS NOT NULL",
    );
    return due.length === 0;
  });
});

test("a forged report of success credits nothing", async () => {
  const member = await newMember();
  const { topUpId } = await begin(member, "700");
  const [row] = await database.db.query<{ id: string }>(
    "SELECT provider_payment_id AS id FROM payments.payments WHERE payment_id = $1",
    [topUpId],
  );
  const object = {
    id: row?.id,
    status: "succeeded",
    paid: true,
    amount: { value: "700.00", currency: "RUB" },
    metadata: { paymentId: topUpId },
  };
  const readBefore = world.calls.read;
  await fetch(`${world.endpoint.url}/payments/notify/sandbox`, {
    method: "POST",
    body: JSON.stringify({ type: "notification", event: "payment.succeeded", object }),
  });
  await until("it was read", async () => world.calls.read > readBefore + 1);
  assert.equal((await look(member, topUpId)).state, "pending");
  assert.equal(await money(member.accountId), "1");
});

test("an abandoned payment expires after a last look, and is credited all the same when it is paid later", async () => {
  const member = await newMember();
  const { topUpId, redirectUrl } = await begin(member, "800.13");
  await database.db.query(
    "UPDATE payments.payments SET created_at = created_at - interval '25 hours' WHERE payment_id = $1",
    [topUpId],
  );
  assert.equal((await ended(member, topUpId, "canceled")).reason, "expired");
  await payOnPage(redirectUrl, "pay");
  const topUp = await ended(member, topUpId, "succeeded");
  assert.equal(topUp.reason, null);
  assert.equal(await money(member.accountId), "801.13");
});

test("a payment that the provider never confirmed is given up after an hour, without another creation", async () => {
  const member = await newMember();
  const paymentId = newUuid();
  await database.db.query(
    `INSERT INTO payments.payments (payment_id, account_id, provider, method, locale, amount_nano, return_url, created_at, due_at)
     VALUES ($1, $2, 'sandbox', 'sbp', 'ru', 100000000000, 'http://127.0.0.1/panel/billing', now() - interval '61 minutes', now())`,
    [paymentId, member.accountId],
  );
  const createdBefore = world.calls.create;
  assert.equal((await ended(member, paymentId, "failed")).reason, "provider_refused");
  assert.equal(world.calls.create, createdBefore);
});

test("payments of another provider are left alone", async () => {
  const member = await newMember();
  const paymentId = newUuid();
  await database.db.query(
    `INSERT INTO payments.payments (payment_id, account_id, provider, method, locale, amount_nano, return_url, state, provider_payment_id, due_at)
     VALUES ($1, $2, 'yookassa', 'sbp', 'ru', 100000000000, 'http://127.0.0.1/panel/billing', 'pending', 'theirs', now())`,
    [paymentId, member.accountId],
  );
  await fetch(`${world.endpoint.url}/payments/notify/sandbox`, {
    method: "POST",
    body: JSON.stringify({ object: { id: "theirs" } }),
  });
  const { topUpId, redirectUrl } = await begin(member, "100");
  await payOnPage(redirectUrl, "pay");
  await ended(member, topUpId, "succeeded");
  assert.equal((await look(member, paymentId)).state, "pending");
});
