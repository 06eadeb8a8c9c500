/**
 * Guarantee: by the page of alerts one says when to be told and sees that it works: a rule in
 * words, a test that arrives, a switch that holds, an end.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import type { AlertList } from "../../src/contract/panel/alert.ts";
import { quotedName } from "../../src/contract/quoted-name.ts";
import { pageFaults } from "../support/page-faults.ts";
import { mailsTo, type PanelPerson } from "../support/panel-session.ts";
import { until } from "../support/until.ts";
import { openMoneyPagesScene, type MoneyPagesScene } from "./money-pages-scene.ts";

let scene: MoneyPagesScene;
before(async () => {
  scene = await openMoneyPagesScene();
});
after(() => scene[Symbol.asyncDispose]());

async function alertsOf(member: PanelPerson): Promise<AlertList["data"]> {
  return (await member.ask("GET", "alerts")).json<AlertList>().data;
}

const WORDS = {
  ru: {
    create: "Новое правило",
    kind: "О чём предупредить",
    threshold: "Порог",
    make: "Создать",
    sentence: /^Когда траты за день дойдут до 777,50\s₽$/,
    test: "Проверить",
    tested: "Проверка отправки",
    arrived: "Всё дошло.",
    close: "Закрыть",
    mark: "проверка",
    delivered: "доставлено",
    off: "выключено",
    remove: /^Удалить: Когда траты за день/,
    removeIt: "Удалить оповещение",
  },
  en: {
    create: "New rule",
    kind: "What to warn about",
    threshold: "Threshold",
    make: "Create",
    sentence: /^When the day's spend reaches ₽777\.50$/,
    test: "Send a test",
    tested: "Test of the alert",
    arrived: "Everything arrived.",
    close: "Close",
    mark: "test",
    delivered: "delivered",
    off: "off",
    remove: /^Delete: When the day's spend/,
    removeIt: "Delete the alert",
  },
} as const;

test("on a tablet the sentences of rules stay readable, and what is too wide scrolls in its own box", async () => {
  const member = await scene.newMember();
  const webhookUrl = `${scene.gateway.url}/a/webhook/with/a/very/long/address/that/breaks/nowhere`;
  const made = await member.ask("POST", "alerts", {
    kind: "spend_day",
    threshold: "1000",
    mailTo: "owners",
    webhookUrl,
  });
  assert.equal(made.status, 201, made.text);
  const tab = await scene.openTab(member, { language: "ru", width: 768 });
  await tab.open("/alerts");
  const rule = tab.page.locator(".alerts-rule").first();
  await rule.waitFor();
  assert.ok(((await rule.boundingBox())?.width ?? 0) >= 180, "words are not broken in the middle");
  assert.deepEqual(await pageFaults(tab.page), []);
  await tab.close();
});

for (const view of [
  { language: "ru", theme: "light", width: 1280 },
  { language: "en", theme: "dark", width: 390 },
] as const) {
  const words = WORDS[view.language];
  const name = `${view.language}-${view.theme}-${view.width}`;

  test(`a rule is made, its test arrives by mail, it is switched off and deleted (${name})`, async () => {
    const member = await scene.newMember();
    const mails = (await mailsTo(scene.gateway, member.email)).length;
    const tab = await scene.openTab(member, view);
    const { page } = tab;
    await tab.open("/alerts");
    await tab.settled();
    assert.equal(await page.getByText("Telegram").count(), 0, "there is no bot here");
    await page.getByRole("button", { name: words.create }).click();
    const form = page.locator(".dialog");
    await form.getByLabel(words.kind).selectOption("spend_day");
    await form.getByLabel(words.threshold).fill("777,5");
    await tab.screenshot(`${name}-alerts-form`);
    assert.deepEqual(await pageFaults(page), []);
    await form.getByRole("button", { name: words.make }).click();
    await form.waitFor({ state: "detached" });
    const rules = page.locator("table").first();
    const row = rules.getByRole("row").filter({ hasText: "777" });
    await row.getByText(words.sentence).first().waitFor();

    await row.getByRole("button", { name: words.test }).click();
    const outcome = page.getByRole("dialog", { name: words.tested });
    await outcome.getByText(words.arrived).waitFor();
    await outcome.getByText(member.email).waitFor();
    await tab.screenshot(`${name}-alerts-test`);
    assert.deepEqual(await pageFaults(page), []);
    assert.match((await mailsTo(scene.gateway, member.email, mails + 1)).at(-1) ?? "", /777/);
    await outcome.getByRole("button", { name: words.close }).click();
    const sent = page.locator("table").nth(1).locator("tbody tr");
    await sent.first().getByText(words.mark, { exact: true }).waitFor();
    await sent.first().getByText(words.delivered, { exact: true }).waitFor();

    await row.getByRole("switch").click();
    await row.getByText(words.off, { exact: true }).waitFor();
    const ours = async () => (await alertsOf(member)).find(({ kind }) => kind === "spend_day");
    assert.deepEqual([(await ours())?.enabled, (await ours())?.threshold], [false, "777.5"]);
    await tab.screenshot(`${name}-alerts`);
    assert.deepEqual(await pageFaults(page), []);

    await row.getByRole("button", { name: words.remove }).click();
    const asked = page.getByRole("alertdialog");
    await asked.getByText("777", { exact: false }).first().waitFor();
    await asked.getByRole("button", { name: words.removeIt }).click();
    // Behind the question nothing has a role: only when it is gone does the row's absence say
    // anything.
    await asked.waitFor({ state: "detached" });
    await row.waitFor({ state: "detached" });
    assert.equal(await ours(), undefined);
    assert.deepEqual(tab.complaints, []);
    await tab.close();
  });
}

const english = { language: "en" } as const;

test("what is wrong with a rule is told at its field; a change goes to chosen members, a key and a webhook; names are only text", async () => {
  const nasty = `<img src=x onerror="document.title='run'">`;
  const member = await scene.newMember(nasty);
  assert.equal((await member.ask("POST", "keys", { name: nasty })).status, 201);
  const received: string[] = [];
  const server = createServer((request, response) => {
    request.resume();
    received.push(String(request.headers["webhook-signature"]));
    response.writeHead(500).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?<b>`;
  const tab = await scene.openTab(member, english);
  const { page } = tab;
  try {
    await tab.open("/alerts");
    // The first rules come by themselves.
    await page.getByRole("row").filter({ hasText: "When the balance falls below ₽500" }).waitFor();
    await page
      .getByRole("row")
      .filter({ hasText: "When an hour costs more than 5 times the usual" })
      .waitFor();
    await page.getByRole("button", { name: "New rule" }).click();
    const form = page.locator(".dialog");
    await form.getByLabel("What to warn about").selectOption("spend_month");
    await form.getByLabel("Whose spend").selectOption({ index: 1 });
    await form.getByLabel("Threshold").fill("0");
    await form.getByRole("button", { name: "Create" }).click();
    await form.getByText("An amount above zero is needed, in whole kopecks.").waitFor();
    await form.getByLabel("Threshold").fill("1000");
    await form.getByRole("combobox", { name: "Mail" }).selectOption("members");
    await form.getByRole("button", { name: "Create" }).click();
    await form.getByText("Tick at least one member of this account.").waitFor();
    await form.getByLabel(member.email).check();
    await form.getByLabel("Webhook address").fill("ftp://example.com");
    await form.getByRole("button", { name: "Create" }).click();
    await form.getByText("An address on the internet is needed").waitFor();
    await form.getByLabel("Webhook address").fill(url);
    await form.getByRole("button", { name: "Create" }).click();
    await form.waitFor({ state: "detached" });
    const row = page.locator("table").first().getByRole("row").filter({ hasText: "month's spend" });
    await row
      .getByText(`When the month's spend of the key ${quotedName("en", nasty)} reaches ₽1,000`)
      .first()
      .waitFor();
    await row.getByText(member.email).waitFor();
    assert.doesNotMatch(await page.title(), /run/);

    await row.getByRole("button", { name: "Change" }).click();
    await form.getByLabel("Threshold").fill("2000.5");
    await form.getByRole("button", { name: "Save" }).click();
    await row
      .getByText(/₽2,000\.50/)
      .first()
      .waitFor();

    await row.getByRole("button", { name: "Send a test" }).click();
    const outcome = page.getByRole("dialog", { name: "Test of the alert" });
    await outcome.getByText("HTTP 500").waitFor();
    await until("a signed webhook", async () =>
      received.some((signature) => signature.startsWith("v1,")),
    );
    await page.keyboard.press("Escape");
    await outcome.waitFor({ state: "detached" });
    assert.equal(
      await row
        .getByRole("button", { name: "Send a test" })
        .evaluate((button) => button === button.ownerDocument.activeElement),
      true,
    );
    await page.getByLabel("Rule", { exact: true }).selectOption({ index: 0 });
    await page.locator("table").nth(1).getByText("HTTP 500").waitFor();
    await page.getByText("whsec_••••").waitFor();
    assert.doesNotMatch(await page.title(), /run/);
    assert.deepEqual(await pageFaults(page), []);
    await tab.screenshot("en-light-1280-alerts-webhook");
    assert.deepEqual(tab.complaints, []);
  } finally {
    await tab.close();
    server.closeAllConnections();
    server.close();
  }
});

test("the webhook secret is shown once, to the owner who made it, and is kept nowhere in the browser", async () => {
  const member = await scene.newMember();
  const tab = await scene.openTab(member, english);
  const { page } = tab;
  await tab.open("/alerts");
  await page.getByRole("button", { name: "Make a secret" }).click();
  const shown = page.getByRole("dialog", { name: "The new webhook secret" });
  const secret = /whsec_[A-Za-z0-9+/=]{20,}/.exec(await shown.innerText())?.[0] ?? "";
  assert.notEqual(secret, "");
  await page.keyboard.press("Escape");
  await shown.waitFor();
  await tab.screenshot("en-light-1280-alerts-secret");
  assert.deepEqual(await pageFaults(page), []);
  await shown.getByRole("button", { name: "I saved the secret" }).click();
  await shown.waitFor({ state: "detached" });
  await page.getByText("whsec_••••").waitFor();
  const kept = (await page.evaluate(
    "document.documentElement.outerHTML + location.href + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)",
  )) as string;
  assert.ok(!kept.includes(secret));
  await page.getByRole("button", { name: "Replace the secret" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Replace the secret" }).click();
  await shown.waitFor();
  assert.ok(!(await shown.innerText()).includes(secret), "another one");
  await shown.getByRole("button", { name: "I saved the secret" }).click();
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});
