/**
 * Protects: a form says everything that is wrong with it at once, at its fields, by the rule that
 * each breaks, in the language of the page.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { keysEn } from "../../panel/src/i18n/texts/keys.en.ts";
import { keysRu } from "../../panel/src/i18n/texts/keys.ru.ts";
import { pageFaults } from "../support/page-faults.ts";
import { openAccountPagesScene, type AccountPagesScene } from "./account-pages-scene.ts";

let scene: AccountPagesScene;
before(async () => {
  scene = await openAccountPagesScene();
});
after(() => scene[Symbol.asyncDispose]());

const VIEWS = [
  [
    "ru",
    keysRu,
    {
      name: "Заполните это поле.",
      rate: "Не меньше 1.",
      more: "Не больше 100000000.",
      atOnce: "Не больше 10000.",
      above: /^Проверьте: /,
    },
  ],
  [
    "en",
    keysEn,
    {
      name: "Fill this in.",
      rate: "At least 1.",
      more: "At most 100000000.",
      atOnce: "At most 10000.",
      above: /^Check: /,
    },
  ],
] as const;

for (const [language, t, reported] of VIEWS) {
  test(`a key with six mistakes is told all six at once, each at its field, and the first field is gone to (${language})`, async () => {
    const person = await scene.newMember();
    const tab = await scene.openTab(person, { language, width: language === "ru" ? 1280 : 390 });
    const { page } = tab;
    await tab.open("/keys");
    await page.locator(".page-head").getByRole("button", { name: t.create, exact: true }).click();
    const dialog = page.getByRole("dialog", { name: t.createTitle });
    await dialog.getByLabel(t.name).fill("   ");
    await dialog.getByText(t.more).click();
    await dialog.getByLabel(t.ips).fill("10.0.0.0/8\n2001:db8::/129");
    await dialog.getByLabel(t.requestsPerMinute).fill("0");
    await dialog.getByLabel(t.tokensPerMinute).fill("3000000000");
    await dialog.getByLabel(t.maxConcurrent).fill("20000");
    await dialog.getByLabel(t.expiry).fill("2020-01-01T10:00");
    await dialog.getByRole("button", { name: t.create }).click();
    const banner = dialog.getByRole("alert");
    await banner.waitFor();
    await dialog.getByText(reported.name, { exact: true }).waitFor();
    await dialog.getByText(t.mistakes.ips, { exact: true }).waitFor();
    await dialog.getByText(reported.rate, { exact: true }).waitFor();
    await dialog.getByText(reported.more, { exact: true }).waitFor();
    await dialog.getByText(reported.atOnce, { exact: true }).waitFor();
    await dialog.getByText(t.mistakes.expiresAt, { exact: true }).waitFor();
    const named = await banner.innerText();
    assert.match(named, reported.above);
    for (const label of [
      t.name,
      t.ips,
      t.requestsPerMinute,
      t.tokensPerMinute,
      t.maxConcurrent,
      t.expiry,
    ])
      assert.ok(named.includes(label), named);
    assert.equal(await page.evaluate("document.activeElement.labels[0].textContent"), t.name);
    await tab.screenshot(`form-mistakes-${language}`);
    assert.deepEqual(await pageFaults(page), []);
    assert.deepEqual(tab.complaints, []);
    await tab.close();
  });
}
