/**
 * Protects: without a network the panel says so in the reader's language, and shows what was gone
 * to by itself when there is one again; over a slow one it says that a page comes.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { faultsEn } from "../../panel/src/i18n/texts/faults.en.ts";
import { faultsRu } from "../../panel/src/i18n/texts/faults.ru.ts";
import { pageFaults } from "../support/page-faults.ts";
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
    const tab = await scene.openTab(await scene.newMember(), {
      language,
      width,
      theme: width === 390 ? "dark" : "light",
    });
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

const SAME = "window.sameDocument";

test("what was pressed or pointed at without a network for the first time opens when there is one, on the same page", async () => {
  const tab = await scene.openTab(await scene.newMember(), {
    language: "en",
    theme: "light",
    width: 390,
  });
  const { page } = tab;
  await tab.open("/settings/profile");
  await page.evaluate(`${SAME} = true`);
  await page.context().setOffline(true);
  await page.getByText(faultsEn.offlineBanner, { exact: true }).waitFor();
  // The router fetches a page that is pointed at; a browser would give up what it could not fetch.
  const keys = page.locator('nav a[href="/panel/keys"]').last();
  await keys.hover();
  await page.getByRole("button", { name: "More" }).click();
  await page.context().setOffline(false);
  const drawer = page.getByRole("dialog");
  await drawer.getByRole("link", { name: "Files" }).waitFor();
  await page.keyboard.press("Escape");
  await drawer.waitFor({ state: "detached" });
  await keys.click();
  await page.getByRole("heading", { name: "Keys", level: 1 }).waitFor();
  assert.equal(await page.evaluate(SAME), true);
  await tab.close();
});

test("a page that is long on its way is announced over the one before, which is marked as busy", async () => {
  const tab = await scene.openTab(await scene.newMember(), {
    language: "en",
    theme: "dark",
    width: 390,
  });
  const { page } = tab;
  const { promise: fetched, resolve: fetchNow } = Promise.withResolvers<void>();
  await page.route(/\/assets\/files-page-/, (route) => fetched.then(() => route.continue()));
  await tab.open("/settings/profile");
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("dialog").getByRole("link", { name: "Files" }).click();
  const comes = page.getByRole("progressbar", { name: "The page is being loaded" });
  await comes.waitFor();
  assert.equal(
    await page.locator("main[aria-busy=true]").getByRole("heading", { level: 1 }).innerText(),
    "Profile",
  );
  await tab.screenshot("a-slow-page");
  assert.deepEqual(await pageFaults(page), []);
  fetchNow();
  await page.getByRole("heading", { name: "Files", level: 1 }).waitFor();
  await comes.waitFor({ state: "detached" });
  assert.equal(await page.locator("main").getAttribute("aria-busy"), "false");
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});
