/**
 * Guarantee: an operator who refunds sees before what the customer's balance will be, or why it
 * cannot be; what was done stands there with its end, and the customer finds it by its name. And: of
 * two who note an account at once, the second sees what the first made of it.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type {
  OperatorPaymentList,
  PaymentRefunds,
} from "../../src/contract/panel/operator-payments.ts";
import type { TopUp, TopUpBegun } from "../../src/contract/panel/top-up.ts";
import { openDatabase, type Db } from "../../src/db/database.ts";
import { payOnPage } from "../payments/pay-on-page.ts";
import { pageFaults } from "../support/page-faults.ts";
import type { PanelPerson } from "../support/panel-session.ts";
import { until } from "../support/until.ts";
import { balanceOf, openMoneyPagesScene, type MoneyPagesScene } from "./money-pages-scene.ts";

let scene: MoneyPagesScene;
let db: Db;
let operator: PanelPerson;
before(async () => {
  scene = await openMoneyPagesScene();
  db = openDatabase({
    url: scene.shared.databaseUrl,
    poolSize: 2,
    applicationName: "refund dialog test",
    onError: () => undefined,
  });
  operator = await scene.newMember("The house");
  await db.query("UPDATE accounts.members SET operator = true WHERE member_id = $1", [
    operator.memberId,
  ]);
});
after(async () => {
  await db.close();
  await scene[Symbol.asyncDispose]();
});

/** The id of its payment. */
async function pay(customer: PanelPerson, amount: string): Promise<string> {
  const begun = await customer.ask("POST", "top-ups", { amount, method: "sbp" });
  const { topUpId, redirectUrl } = begun.json<TopUpBegun>();
  await payOnPage(redirectUrl, "pay");
  await until("it is credited", async () => {
    const now = (await customer.ask("GET", `top-ups/${topUpId}`)).json<TopUp>();
    return now.state === "succeeded";
  });
  return topUpId;
}

const WORDS = {
  ru: {
    open: "Вернуть",
    amount: "Сколько вернуть",
    reason: "Причина",
    willBe: "Баланс клиента: сейчас 500,00 ₽, станет 379,50 ₽.",
    send: "Вернуть 120,50 ₽",
    done: "Возвращено 120,50 ₽",
    spent: /Остальное потрачено: из оплаченного на балансе осталось 79,50\s₽/,
    movement: "Возврат пополнения",
  },
  en: {
    open: "Refund",
    amount: "How much to refund",
    reason: "Reason",
    willBe: "The customer's balance: ₽500.00 now, ₽379.50 afterwards.",
    send: "Refund ₽120.50",
    done: "₽120.50 refunded",
    spent: /The rest is spent: of what was paid, ₽79\.50 is left/,
    movement: "Refund of a top-up",
  },
} as const;
const plain = (text: string): string => text.replaceAll(/[\u00a0\u202f]/g, " ");

for (const view of [
  { language: "ru", theme: "light", width: 1280 },
  { language: "en", theme: "dark", width: 390 },
] as const) {
  const words = WORDS[view.language];
  const name = `${view.language}-${view.theme}-${view.width}`;

  test(`a part is refunded by the dialog, and what is spent is not (${name})`, async () => {
    const customer = await scene.newMember("The customer");
    const paymentId = await pay(customer, "500");
    const tab = await scene.openTab(operator, view);
    const { page } = tab;
    await tab.open(`/operator/payments?account=${customer.accountId}`);
    await tab.screenshot(`${name}-payments`);
    await page.getByRole("button", { name: words.open, exact: true }).click();
    const dialog = page.locator(".dialog");
    await dialog.getByLabel(words.amount).fill("120.5");
    await dialog.getByLabel(words.reason).fill("Asked for it");
    const effect = await dialog.locator(".operator-effect").textContent();
    assert.equal(plain(effect ?? ""), words.willBe);
    await tab.screenshot(`${name}-refund-dialog`);
    assert.deepEqual(await pageFaults(page), []);
    await dialog.getByRole("button", { name: words.send }).click();
    await page.getByText(words.done).waitFor();
    await dialog.waitFor({ state: "hidden" });
    assert.equal(await balanceOf(customer), "379.5");

    const spent = { amount: "-300", reason: "Spent", ref: `spent-${paymentId}` };
    await operator.ask("POST", `operator/accounts/${customer.accountId}/adjust`, spent);
    await page.getByRole("button", { name: words.open, exact: true }).click();
    await dialog.getByText(words.spent).waitFor();
    await dialog.getByLabel(words.reason).fill("All of it");
    const send = dialog.getByRole("button", { name: words.open }).last();
    assert.equal(await send.isDisabled(), true);
    await tab.screenshot(`${name}-refund-refused`);
    assert.deepEqual(await pageFaults(page), []);
    assert.deepEqual(tab.complaints, []);
    await tab.close();
    const { data } = (
      await operator.ask("GET", `operator/payments/${paymentId}/refunds`)
    ).json<PaymentRefunds>();
    assert.deepEqual(
      data.map(({ amount, state }) => [amount, state]),
      [["120.5", "succeeded"]],
    );

    const own = await scene.openTab(customer, view);
    await own.open("/billing");
    await own.page.getByText(words.movement).first().waitFor();
    await own.page.getByText("Asked for it").first().waitFor();
    await own.screenshot(`${name}-billing-refund`);
    await own.close();
    const csv = await customer.ask(
      "GET",
      `ledger.csv?language=${view.language}&timezone=Europe/Moscow`,
    );
    assert.match(csv.text, view.language === "ru" ? /Возврат пополнения/ : /,refund,/);
  });
}

test("a refund that the provider refuses stands in the dialog with the reason, and the money is back", async () => {
  const customer = await scene.newMember("The refused");
  const paymentId = await pay(customer, "500");
  const tab = await scene.openTab(operator, { language: "en" });
  const { page } = tab;
  await tab.open(`/operator/payments?account=${customer.accountId}`);
  await page.getByRole("button", { name: "Refund", exact: true }).click();
  const dialog = page.locator(".dialog");
  await dialog.getByLabel("How much to refund").fill("100.33");
  await dialog.getByLabel("Reason").fill("A try");
  await dialog.getByRole("button", { name: "Refund ₽100.33" }).click();
  await dialog.getByText("the shop lacks the money").waitFor();
  assert.equal(await balanceOf(customer), "500");
  await tab.screenshot("en-light-1280-refund-not-made");
  assert.deepEqual(await pageFaults(page), []);
  // And can be tried again from where one is.
  await dialog.getByLabel("How much to refund").fill("100");
  await dialog.getByLabel("Reason").fill("Another try");
  await dialog.getByRole("button", { name: "Refund ₽100.00" }).click();
  await dialog.waitFor({ state: "hidden" });
  assert.equal(await balanceOf(customer), "400");
  const { data } = (
    await operator.ask("GET", `operator/payments?account=${customer.accountId}`)
  ).json<OperatorPaymentList>();
  assert.deepEqual([data[0]?.paymentId, data[0]?.refundable], [paymentId, "400"]);
  await tab.close();
});

test("notes that another operator changed meanwhile are shown over what was typed, and can be saved then", async () => {
  const customer = await scene.newMember("The noted");
  const path = `operator/accounts/${customer.accountId}`;
  const tab = await scene.openTab(operator, { language: "en" });
  const { page } = tab;
  await tab.open(`/${path}`);
  await page.getByRole("button", { name: "Change notes" }).first().click();
  const dialog = page.locator(".dialog");
  await dialog.getByLabel(/^Note/).fill("Mine");
  await operator.ask("POST", `${path}/notes`, { note: "Theirs", tags: ["vip"] });
  const save = dialog.getByRole("button", { name: "Change notes" });
  await save.click();
  await dialog.getByText("It was changed meanwhile").waitFor();
  await dialog.getByText("What was changed meanwhile:").waitFor();
  await dialog.getByText(/→ Theirs/).waitFor();
  await dialog.getByText(/→ vip/).waitFor();
  assert.equal(await dialog.getByLabel(/^Note/).inputValue(), "Mine");
  assert.equal(await dialog.getByLabel(/^Tags/).inputValue(), "vip");
  await tab.screenshot("en-light-1280-notes-meanwhile");
  assert.deepEqual(await pageFaults(page), []);
  await save.click();
  await dialog.waitFor({ state: "hidden" });
  const { note, tags } = (await operator.ask("GET", path)).json<{
    note: string;
    tags: string[];
  }>();
  assert.deepEqual([note, tags], ["Mine", ["vip"]]);
  await tab.close();
});
