/**
 * Guarantee: what an operator takes out in the page is out for customers, the page says first whom
 * it hits, and the morning says that it is out; notes and payments are read by operators as they
 * were written, on a phone and in the dark too.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { answering, ask, routingCatalogue } from "../routing/routing-scene.ts";
import { openChatScene, type ChatCustomer, type ChatScene } from "../support/chat-scene.ts";
import { pageFaults } from "../support/page-faults.ts";
import {
  buildPanel,
  openPanelBrowserScene,
  type PanelBrowserScene,
} from "../support/panel-browser.ts";
import { signUpAtPanel, type PanelPerson } from "../support/panel-session.ts";
import { until } from "../support/until.ts";

let scene: ChatScene;
let browsers: PanelBrowserScene;
let operator: PanelPerson;
let customer: ChatCustomer;
before(async () => {
  buildPanel();
  scene = await openChatScene({
    catalogue: routingCatalogue({ pair: [{}, {}], sole: [{}] }),
    env: { SESSION_SECRET: "s".repeat(40) },
  });
  browsers = await openPanelBrowserScene(scene.gateway);
  operator = await signUpAtPanel(scene.gateway, "The business");
  const { db } = scene;
  await db.query("UPDATE accounts.members SET operator = true WHERE member_id = $1", [
    operator.memberId,
  ]);
  customer = await scene.customer({ roubles: "1000" });
  await db.query(
    `INSERT INTO payments.payments (account_id, payment_id, provider, method, locale, amount_nano, return_url, state, provider_payment_id, entry_id, refunded_nano, ended_at)
     VALUES ($1, ledger.first_id(clock_timestamp()), 'yookassa', 'sbp', 'ru', 1000000000000, 'https://x.example/', 'succeeded', '2d8c-1', gen_random_uuid(), 400000000000, clock_timestamp())`,
    [customer.accountId],
  );
});
after(async () => {
  await browsers.close();
  await scene.close();
});

async function statusOf(model: string): Promise<number> {
  const { user } = scene.play(answering("openai"));
  const question = { endpoint: "chat.completions", form: "whole", model, user } as const;
  return (await ask(scene, customer.secret, question)).status;
}

test("the page names the models that lose their last route, takes it out for customers and puts it back; the morning says so", async () => {
  const tab = await browsers.openTab(operator, { language: "ru" });
  const { page } = tab;
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  await tab.open("/operator/upstreams");
  await button("Вывести: pair-1").click();
  await page.getByText("У всех его моделей есть другие маршруты.").waitFor();
  await page.keyboard.press("Escape");
  assert.equal(await statusOf("sole"), 200);
  await button("Вывести: sole-1").click();
  await page.getByText("Без маршрутов останется модель: sole.").waitFor();
  await page.getByLabel("Причина").fill("works at the provider");
  await button("Вывести").click();
  await button("Вернуть: sole-1").waitFor();
  await until("customers to be refused", async () => (await statusOf("sole")) === 503);
  assert.equal(await statusOf("pair"), 200);
  await tab.open("/operator");
  await page.getByText("Выведено оператором: sole-1.").waitFor();
  await tab.open("/operator/upstreams");
  await button("Вернуть: sole-1").click();
  await button("Вывести: sole-1").waitFor();
  await until("customers to be served", async () => (await statusOf("sole")) === 200);
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});

test("a note and its tags are kept, and find the account", async () => {
  const tab = await browsers.openTab(operator, { language: "en" });
  const { page } = tab;
  await tab.open(`/operator/accounts/${customer.accountId}`);
  await page.getByRole("button", { name: "Change notes" }).click();
  const dialog = page.locator(".dialog");
  await dialog.getByLabel("Note").fill("<b>pays</b> by invoice");
  await dialog.getByLabel("Tags").fill("vip, schools");
  await dialog.getByRole("button", { name: "Change notes" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText("<b>pays</b> by invoice").waitFor();
  await tab.open("/operator/accounts?tag=schools");
  assert.equal(await page.locator("tbody > tr").count(), 1);
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});

test("the pages have no faults and fit, on a phone and in the dark, with what was refunded in words", async () => {
  for (const view of [
    { width: 390, theme: "light", language: "ru" },
    { width: 1280, theme: "dark", language: "en" },
  ] as const) {
    const tab = await browsers.openTab(operator, view);
    for (const path of ["", "/upstreams", "/accounts", "/payments"]) {
      await tab.open(`/operator${path}`);
      await tab.settled();
      assert.deepEqual(await pageFaults(tab.page), [], `${path} ${view.width}`);
      await tab.screenshot(`operator${path.replace("/", "-")}-${view.width}-${view.theme}`);
    }
    const refunded = { ru: "возвращено 400,00 ₽", en: "₽400.00 refunded" }[view.language];
    await tab.page.getByText(refunded).waitFor();
    assert.deepEqual(tab.complaints, []);
    await tab.close();
  }
});
