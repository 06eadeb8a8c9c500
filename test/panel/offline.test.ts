/** Protects: without a network the panel says so in the reader's language, and shows what was gone to by itself when there is one again. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { faultsEn } from "../../panel/src/i18n/texts/faults.en.ts";
import { faultsRu } from "../../panel/src/i18n/texts/faults.ru.ts";
import { openAccountPagesScene, type AccountPagesScene } from "./account-pages-scene.ts";

let scene: AccountPagesScene;
before(async () => {
  scene = await openAccountPagesScene();
});
after(() => scene[Symbol.asyncDispose]());

const VIEWS = [
  { language: "ru", width: 1280, texts: faultsRu, link: "Оповещения" },
  { language: "en", width: 390, texts: faultsEn, link: "Alerts" },
] as const;

for (const { language, width, texts, link } of VIEWS) {
  test(`a section that could not be fetched is called "no connection", and opens when the connection is back (${language})`, async () => {
    const tab = await scene.openTab(await scene.newMember(), { language, width, theme: width === 390 ? "dark" : "light" });
    const { page } = tab;
    await tab.open("/keys");
    await page.context().setOffline(true);
    await page.getByText(texts.offlineBanner, { exact: true }).waitFor();
    await page.locator('a[href="/panel/alerts"]').first().dispatchEvent("click");
    await page.getByRole("heading", { level: 1, name: texts.offlineTitle, exact: true }).waitFor();
    await page.getByText(texts.offlineText, { exact: true }).waitFor();
    assert.equal(await page.getByText(texts.brokenTitle).count(), 0);
    await tab.screenshot(`offline-${language}-${width}`);
    await page.context().setOffline(false);
    await page.getByRole("heading", { level: 1, name: link, exact: true }).waitFor();
    await page.getByText(texts.offlineBanner, { exact: true }).waitFor({ state: "detached" });
    await tab.close();
  });
}
