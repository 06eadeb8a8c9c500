/**
 * Protects: a sum that is pasted is the sum that is sent, in every form that takes money; what
 * cannot be read is said, and nothing is sent.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { keysRu } from "../../panel/src/i18n/texts/keys.ru.ts";
import { alertsRu } from "../../panel/src/i18n/texts/alerts.ru.ts";
import { wordsRu } from "../../panel/src/i18n/texts/words.ru.ts";
import type { AlertList } from "../../src/contract/panel/alert.ts";
import type { PanelKeyList } from "../../src/contract/panel/panel-key.ts";
import type { TopUpList } from "../../src/contract/panel/top-up.ts";
import { pageFaults } from "../support/page-faults.ts";
import { openMoneyPagesScene, type MoneyPagesScene } from "./money-pages-scene.ts";

let scene: MoneyPagesScene;
before(async () => {
  scene = await openMoneyPagesScene();
});
after(() => scene[Symbol.asyncDispose]());

/** As a person does: copied elsewhere, all of the field selected, pasted over. */
async function paste(page: Page, field: Locator, text: string): Promise<void> {
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await field.focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("ControlOrMeta+v");
}

const PASTED = [
  ["1\u00A0000 ₽", "1000"],
  ["1000 руб.", "1000"],
  ["3\u00A0000,00\u00A0₽", "3000"],
  ["2,500.00", "2500"],
  ["5.000,00", "5000"],
] as const;

test(
  "a top-up pays the sum that was pasted over the preset one, whatever its spelling",
  { timeout: 240_000 },
  async () => {
    for (const [text, amount] of PASTED) {
      const member = await scene.newMember();
      const tab = await scene.openTab(member);
      const { page } = tab;
      await tab.open("/billing");
      const field = page.getByLabel("Сумма", { exact: true });
      assert.equal(await field.inputValue(), "500");
      await paste(page, field, text);
      assert.equal(await field.inputValue(), text);
      await page.getByRole("button", { name: "Перейти к оплате" }).click();
      await page.waitForURL((url) => url.pathname.startsWith("/payments/page/"));
      const { data } = (await member.ask("GET", "top-ups")).json<TopUpList>();
      assert.deepEqual(
        data.map((topUp) => topUp.amount),
        [amount],
        text,
      );
      assert.deepEqual(tab.complaints, []);
      await tab.close();
    }
  },
);

test("a pasted sum with two readings, or with none, stays in its field with the reason, and neither is paid, nor the preset one", async () => {
  const member = await scene.newMember();
  const tab = await scene.openTab(member);
  const { page } = tab;
  await tab.open("/billing");
  const field = page.getByLabel("Сумма", { exact: true });
  const pay = page.getByRole("button", { name: "Перейти к оплате" });
  const refused = [
    ["1.000", "«1.000» можно прочесть двояко. Напишите 1000 или 1."],
    ["1,500 ₽", "«1,500 ₽» можно прочесть двояко. Напишите 1500 или 1,5."],
    ["Infinity", wordsRu.unread["no-number"]],
    ["сто рублей", wordsRu.unread["no-number"]],
    ["$100", wordsRu.unread["other-currency"]],
    ["-500", wordsRu.unread.negative],
  ] as const;
  for (const [text, reason] of refused) {
    await paste(page, field, text);
    await page.getByText(reason, { exact: true }).waitFor();
    assert.equal(await field.inputValue(), text);
    await pay.click();
    await field.press("Enter");
    assert.equal(await field.inputValue(), text);
  }
  await tab.screenshot("ru-light-1280-money-unread");
  assert.deepEqual(await pageFaults(page), []);
  assert.deepEqual((await member.ask("GET", "top-ups")).json<TopUpList>().data, []);
  // What was read is written as it was understood, as soon as the field is left.
  await paste(page, field, "RUB 1,234.50");
  await field.blur();
  assert.equal(await field.inputValue(), "1234,5");
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});

test("the limits of a key and the threshold of an alert are what was pasted, and no key is made without the limit that is shown", async () => {
  const member = await scene.newMember();
  const tab = await scene.openTab(member);
  const { page } = tab;
  await tab.open("/keys");
  await page
    .locator(".page-head")
    .getByRole("button", { name: keysRu.create, exact: true })
    .click();
  const dialog = page.getByRole("dialog", { name: keysRu.createTitle });
  await dialog.getByLabel(keysRu.name).fill("pasted");
  await dialog.getByText(keysRu.more).click();
  const [limit, rate] = [
    dialog.getByLabel(keysRu.limitAmount),
    dialog.getByLabel(keysRu.requestsPerMinute),
  ];
  await paste(page, limit, "5.000");
  await paste(page, rate, "60k");
  await dialog.getByRole("button", { name: keysRu.create }).click();
  await dialog
    .getByText("«5.000» можно прочесть двояко. Напишите 5000 или 5.", { exact: true })
    .waitFor();
  await paste(page, limit, "5.000,50 руб.");
  await dialog.getByRole("button", { name: keysRu.create }).click();
  await dialog.getByText(wordsRu.unread["no-number"], { exact: true }).waitFor();
  assert.deepEqual((await member.ask("GET", "keys")).json<PanelKeyList>().data, []);
  await paste(page, rate, "60 000");
  await tab.screenshot("ru-light-1280-key-pasted");
  await dialog.getByRole("button", { name: keysRu.create }).click();
  await page.locator(".code-text, code").first().waitFor();
  const [key] = (await member.ask("GET", "keys")).json<PanelKeyList>().data;
  assert.deepEqual([key?.limit?.amount, key?.requestsPerMinute], ["5000.5", 60_000]);

  await tab.open("/alerts");
  await page.getByRole("button", { name: alertsRu.create, exact: true }).first().click();
  const alert = page.getByRole("dialog", { name: alertsRu.createTitle });
  await paste(page, alert.getByLabel(alertsRu.threshold), "1.000");
  await alert.getByRole("button", { name: wordsRu.create, exact: true }).click();
  await alert
    .getByText("«1.000» можно прочесть двояко. Напишите 1000 или 1.", { exact: true })
    .waitFor();
  const thresholdsOf = async (): Promise<readonly (string | null)[]> =>
    (await member.ask("GET", "alerts")).json<AlertList>().data.map(({ threshold }) => threshold);
  assert.ok(!(await thresholdsOf()).includes("1"));
  await paste(page, alert.getByLabel(alertsRu.threshold), "1 500 ₽");
  await alert.getByRole("button", { name: wordsRu.create, exact: true }).click();
  await alert.waitFor({ state: "detached" });
  assert.ok((await thresholdsOf()).includes("1500"));
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});
