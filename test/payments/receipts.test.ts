/**
 * Protects: a shop that issues receipts (54-FZ) gets what they need with each payment; where that
 * is unknown no customer may pay.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { MemberCaller } from "../../src/accounts/member-caller.ts";
import type { DatedReceiptTerms } from "../../src/catalogue/catalogue.ts";
import type { TopUp, TopUpBegun, TopUpList } from "../../src/contract/panel/top-up.ts";
import { verifyLedger } from "../../src/business/operate/verify-ledger.ts";
import { formatRoubles } from "../../src/kernel/money.ts";
import { balance } from "../../src/ledger/accounts.store.ts";
import { createSandbox, type Sandbox } from "../../sandbox/create-sandbox.ts";
import type { PaymentWish } from "../../src/upstreams/payments/payment-provider.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { newAccount } from "../support/new-customer.ts";
import { panelMember, type PanelAnswer } from "../support/panel-endpoint.ts";
import { until } from "../support/until.ts";
import { payOnPage } from "./pay-on-page.ts";
import { openPaymentWorld, type PaymentWorld, type PaymentWorldOptions } from "./payment-world.ts";

/**
 * The sandbox's shops whose id begins so refuse a payment without a receipt, and any shop refuses
 * one that is not in order.
 */
const FISCAL_SHOP = "54fz-shop";
const TERMS = { vatCode: 11, taxSystemCode: 1, subject: "service", mode: "advance" } as const;

let database: TestDatabase;
let sandbox: Sandbox;
before(async () => {
  database = await testDatabase();
  sandbox = await createSandbox({ port: 0, host: "127.0.0.1" });
});
after(async () => {
  const verified = await verifyLedger(database.db);
  await sandbox.close();
  await database.drop();
  assert.deepEqual(verified.mismatches, []);
});

interface Shop extends AsyncDisposable {
  readonly world: PaymentWorld;
  /** What the provider was asked for. */
  readonly wishes: PaymentWish[];
  /** To be changed. */
  list: readonly DatedReceiptTerms[];
}

async function openShop(
  list: readonly DatedReceiptTerms[],
  options: Partial<PaymentWorldOptions> = {},
): Promise<Shop> {
  const wishes: PaymentWish[] = [];
  const shop = { list, wishes };
  const world = await openPaymentWorld({
    databaseUrl: database.url,
    sandboxUrl: sandbox.url,
    shopId: FISCAL_SHOP,
    receipts: () => shop.list,
    ...options,
    wrap: (provider) => ({
      ...(options.wrap?.(provider) ?? provider),
      createPayment(wish, signal) {
        wishes.push(wish);
        return (options.wrap?.(provider) ?? provider).createPayment(wish, signal);
      },
    }),
  });
  return Object.assign(shop, { world, [Symbol.asyncDispose]: () => world.close() });
}

const since = (day: string, terms: DatedReceiptTerms["terms"] = TERMS): DatedReceiptTerms => ({
  from: new Date(day),
  terms,
});

async function newMember(): Promise<MemberCaller> {
  return panelMember({ accountId: await newAccount(database.db, "1"), email: "anna@example.com" });
}

function order({ world }: Shop, member: MemberCaller, amount: string): Promise<PanelAnswer> {
  return world.endpoint.ask(member, "POST", "/panel/api/top-ups", { amount, method: "bank_card" });
}

async function credited({ world }: Shop, member: MemberCaller, topUpId: string): Promise<string> {
  await until("the credit", async () => {
    const topUp = (
      await world.endpoint.ask(member, "GET", `/panel/api/top-ups/${topUpId}`)
    ).json<TopUp>();
    return topUp.state === "succeeded";
  });
  const found = await balance(database.db, member.accountId);
  return formatRoubles(found?.balanceNano ?? assert.fail("no account"));
}

test("each payment carries a receipt by the entry in force, for the member who pays, and is credited", async () => {
  await using shop = await openShop([
    since("2020-01-01", { ...TERMS, vatCode: 4 }),
    since("2026-01-01"),
    since("2999-01-01", { ...TERMS, vatCode: 12 }),
  ]);
  const member = await newMember();
  const answer = await order(shop, member, "500.50");
  assert.equal(answer.status, 201, answer.text);
  const { topUpId, redirectUrl } = answer.json<TopUpBegun>();
  assert.deepEqual(
    shop.wishes.map(({ receipt }) => receipt),
    [{ ...TERMS, email: "anna@example.com", item: "Пополнение баланса" }],
  );
  await payOnPage(redirectUrl, "pay");
  assert.equal(await credited(shop, member, topUpId), "501.5");
});

test("where the list begins later only, a top-up is refused before the provider is asked, and an operator hears what to do", async () => {
  await using shop = await openShop([since("2999-01-01")]);
  const member = await newMember();
  const answer = await order(shop, member, "500");
  assert.deepEqual(
    [answer.status, answer.json<{ error: { code: string } }>().error.code],
    [503, "top_ups_unavailable"],
  );
  assert.match(answer.text, /Nothing was paid/);
  assert.equal(shop.world.calls.create, 0);
  assert.deepEqual(
    (await shop.world.endpoint.ask(member, "GET", "/panel/api/top-ups")).json<TopUpList>().data,
    [],
  );
  const [alert] = shop.world.alerts;
  assert.ok(
    alert?.kind === "payment_receipt" && /payments\.receipts/.test(alert.what),
    JSON.stringify(alert),
  );
});

test("a shop that demands receipts and no list: the first refusal is understood, no other payer is sent there, and a list ends it at once", async () => {
  await using shop = await openShop([]);
  const member = await newMember();
  for (const tried of [1, 2, 3]) {
    const answer = await order(shop, member, "500");
    assert.deepEqual(
      [answer.status, answer.json<{ error: { code: string } }>().error.code],
      [503, "top_ups_unavailable"],
      String(tried),
    );
  }
  assert.equal(shop.world.calls.create, 1, "the provider was asked once");
  assert.match(shop.world.troubles.join(), /Receipt is missing or illegal/);
  assert.equal(shop.world.alerts.filter(({ kind }) => kind === "payment_receipt").length, 3);
  shop.list = [since("2026-01-01")];
  const answer = await order(shop, member, "500");
  assert.equal(answer.status, 201, answer.text);
  const { topUpId, redirectUrl } = answer.json<TopUpBegun>();
  await payOnPage(redirectUrl, "pay");
  assert.equal(await credited(shop, member, topUpId), "501");
});

test("a shop that issues no receipts is asked without one, as ever", async () => {
  await using shop = await openShop([], { shopId: "shop" });
  const answer = await order(shop, await newMember(), "500");
  assert.equal(answer.status, 201, answer.text);
  assert.deepEqual(
    shop.wishes.map(({ receipt }) => receipt),
    [null],
  );
});

test("a payment whose creation was never answered is asked for again word for word, though the list has changed, and credited once", async () => {
  let silent = true;
  await using shop = await openShop([since("2026-01-01")], {
    times: { claimMs: 300 },
    wrap: (provider) => ({
      ...provider,
      async createPayment(wish, signal) {
        // The provider takes it, and its answer is lost.
        const outcome = await provider.createPayment(wish, signal);
        return silent ? { kind: "unknown", reason: "lost" } : outcome;
      },
    }),
  });
  const member = await newMember();
  assert.equal((await order(shop, member, "700")).status, 502);
  shop.list = [since("2026-01-01", { ...TERMS, vatCode: 12 })];
  silent = false;
  const topUp = await until("its page", async () => {
    const { data } = (
      await shop.world.endpoint.ask(member, "GET", "/panel/api/top-ups")
    ).json<TopUpList>();
    return data.find(({ state }) => state === "pending") ?? null;
  });
  assert.ok(shop.wishes.length >= 3);
  for (const wish of shop.wishes) assert.deepEqual(wish, shop.wishes[0]);
  await payOnPage(topUp.redirectUrl ?? "", "pay");
  assert.equal(await credited(shop, member, topUp.topUpId), "701");
});
