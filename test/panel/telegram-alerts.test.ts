/**
 * Guarantee: by the page of alerts a member links a chat, has a limit of a group watched and sees that
 * the message arrives there; by the operators' page one says which troubles are reported, and how.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { alertsEn } from "../../panel/src/i18n/texts/alerts.en.ts";
import { alertsRu } from "../../panel/src/i18n/texts/alerts.ru.ts";
import { operatorSettingsEn } from "../../panel/src/i18n/texts/operator-settings.en.ts";
import { operatorSettingsRu } from "../../panel/src/i18n/texts/operator-settings.ru.ts";
import { wordsEn } from "../../panel/src/i18n/texts/words.en.ts";
import { wordsRu } from "../../panel/src/i18n/texts/words.ru.ts";
import type { AlertList, TelegramChat } from "../../src/contract/panel/alert.ts";
import type { OperatorAlertList } from "../../src/contract/panel/operator-alerts.ts";
import { pageFaults } from "../support/page-faults.ts";
import { newEmail } from "../support/panel-session.ts";
import { startTelegram, type TelegramServer } from "../support/telegram-server.ts";
import { until } from "../support/until.ts";
import { openOperatorScene, type OperatorScene } from "./operator-scene.ts";

const BOT_TOKEN = "7700112233:a-token-of-the-tests-0123456789-abcdef";
const GROUP = "Отдел продаж";
let telegram: TelegramServer;
let scene: OperatorScene;
before(async () => {
  telegram = await startTelegram(BOT_TOKEN);
  scene = await openOperatorScene({
    TELEGRAM_BOT_TOKEN: BOT_TOKEN,
    TELEGRAM_API_URL: telegram.url,
  });
});
after(async () => {
  await scene[Symbol.asyncDispose]();
  await telegram[Symbol.asyncDispose]();
});

const VIEWS = [
  { language: "ru", theme: "light", width: 1280 },
  { language: "en", theme: "dark", width: 390 },
] as const;
const TEXTS = {
  ru: { t: alertsRu, ofOperators: operatorSettingsRu, words: wordsRu },
  en: { t: alertsEn, ofOperators: operatorSettingsEn, words: wordsEn },
};
let chats = 100;
let percents = 20;

for (const view of VIEWS) {
  const { t, ofOperators, words } = TEXTS[view.language];
  const name = `${view.language}-${view.theme}-${view.width}`;

  test(`a chat is linked and unlinked, and a limit's alert reaches it (${name})`, async () => {
    const member = await scene.newOperator(newEmail());
    const made = await member.ask("POST", "groups", {
      name: GROUP,
      limit: { amount: "5000", period: "month" },
    });
    assert.equal(made.status, 201, made.text);
    const tab = await scene.browsers.openTab(member, view);
    const { page } = tab;
    chats += 1;
    const chatId = chats;
    await tab.open("/alerts");
    await page.getByRole("button", { name: t.telegramLink, exact: true }).click();
    const linking = page.getByRole("dialog", { name: t.telegramLinkTitle });
    const command = await linking.locator("pre").innerText();
    assert.match(command, /^\/start [\w-]{43}$/);
    await tab.screenshot(`${name}-telegram-link`);
    assert.deepEqual(await pageFaults(page), []);
    telegram.write(chatId, command);
    await linking.getByText(t.telegramLinked(`@user${chatId}`)).waitFor();
    await tab.screenshot(`${name}-telegram-linked`);
    await linking.getByRole("button", { name: words.close }).click();
    await page.getByText(`@user${chatId}`, { exact: true }).waitFor();

    await page.getByRole("button", { name: t.create, exact: true }).click();
    const form = page.getByRole("dialog", { name: t.createTitle });
    await form.getByLabel(t.kind).selectOption("limit_used");
    await form.getByRole("button", { name: words.create, exact: true }).click();
    await form.getByText(t.mistakes.groupId).waitFor();
    await form.getByLabel(t.limitSubject).selectOption({ label: t.groupOption(GROUP) });
    await form.getByLabel(t.percent).fill("75");
    await form.getByLabel(t.mailTo).selectOption("nobody");
    await tab.screenshot(`${name}-limit-form`);
    assert.deepEqual(await pageFaults(page), []);
    await form.getByRole("button", { name: words.create, exact: true }).click();
    await form.waitFor({ state: "detached" });
    const rules = (await member.ask("GET", "alerts")).json<AlertList>().data;
    assert.deepEqual(
      rules
        .filter(({ kind }) => kind === "limit_used")
        .map(({ percent, threshold, mailTo, telegramTo }) => [
          percent,
          threshold,
          mailTo,
          telegramTo,
        ]),
      [[75, null, "nobody", "owners"]],
    );

    const sentence = t.limitOfGroup(GROUP, 75);
    const row = page.locator("table").first().getByRole("row").filter({ hasText: sentence });
    await row.getByRole("button", { name: t.test }).click();
    const outcome = page.getByRole("dialog", { name: t.testTitle });
    await outcome.getByText(t.testDone).waitFor();
    await tab.screenshot(`${name}-telegram-test`);
    await outcome.getByRole("button", { name: words.close }).click();
    const messages = telegram.sent.filter((one) => one.chatId === chatId);
    assert.equal(messages.length, 2, "the answer to the code, and the alert");
    // Three quarters of the limit, in the member's own language.
    assert.match(messages[1]?.text ?? "", /Отдел продаж[^]*75[^]*3[^\d]?750/u);
    await page.locator("table").nth(1).locator("tbody tr").first().waitFor();
    await tab.screenshot(`${name}-telegram-alerts`);
    assert.deepEqual(await pageFaults(page), []);

    await page.getByRole("button", { name: t.telegramUnlink, exact: true }).click();
    await page.getByRole("button", { name: t.telegramLink, exact: true }).waitFor();
    const { chat } = (await member.ask("GET", "alerts/telegram")).json<TelegramChat>();
    assert.equal(chat, null);
    assert.deepEqual(tab.complaints, []);
    await tab.close();
  });

  test(`an operator has a margin watched and a route's trouble by Telegram alone (${name})`, async () => {
    const operator = await scene.newOperator(newEmail());
    const alertOf = async (kind: string) =>
      (await operator.ask("GET", "operator/alerts"))
        .json<OperatorAlertList>()
        .data.find((one) => one.kind === kind);
    const tab = await scene.browsers.openTab(operator, view);
    const { page } = tab;
    await tab.open("/operator/settings");
    const part = (kind: keyof typeof ofOperators.alertKinds) =>
      page.getByRole("region", { name: ofOperators.alertKinds[kind] });
    const margin = part("margin_below");
    const watch = margin.getByRole("switch", { name: ofOperators.alertOn });
    if (await watch.isChecked()) await watch.click();
    await until("it is off", async () => (await alertOf("margin_below"))?.enabled === false);
    await watch.click();
    await margin.getByText(ofOperators.alertQuiet).waitFor();
    percents += 1;
    const percent = percents;
    await margin.getByLabel(ofOperators.alertPercent).fill(String(percent));
    await margin.getByRole("button", { name: words.save }).click();
    await until("it is kept", async () => (await alertOf("margin_below"))?.percent === percent);
    assert.equal((await alertOf("margin_below"))?.enabled, true);
    const byMail = part("circuit_open").getByRole("switch", { name: ofOperators.alertMail });
    const wasOn = await byMail.isChecked();
    await byMail.click();
    await until("it is kept", async () => (await alertOf("circuit_open"))?.mail === !wasOn);
    await tab.settled();
    await tab.screenshot(`${name}-operator-alerts`);
    assert.deepEqual(await pageFaults(page), []);
    assert.deepEqual(tab.complaints, []);
    await tab.close();
  });
}
