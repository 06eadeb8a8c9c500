/**
 * Protects: a receipt can be put on paper: dark letters whatever the theme, and nothing that is
 * only there to be pressed.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { requestsRu } from "../../panel/src/i18n/texts/requests.ru.ts";
import { openAccountPagesScene, type AccountPagesScene } from "./account-pages-scene.ts";

let scene: AccountPagesScene;
before(async () => {
  scene = await openAccountPagesScene();
});
after(() => scene[Symbol.asyncDispose]());

const COLOUR = "getComputedStyle(document.body).color";

test("a receipt on paper", async () => {
  const person = await scene.newMember();
  const { secret } = await scene.newKey(person, "server");
  const { requestId } = await scene.chat(secret);
  const tab = await scene.openTab(person, { language: "ru" });
  const { page } = tab;
  await page.addInitScript("localStorage.setItem('tollgate.theme', 'dark')");
  await tab.open(`/requests/${requestId}`);
  const onScreen = await page.evaluate(COLOUR);
  const menus = page.locator(".layout-head, .layout-side, .tab-bar, main button");
  assert.ok((await menus.count()) > 2);
  await page.emulateMedia({ media: "print" });
  for (const menu of await menus.all())
    assert.equal(await menu.isVisible(), false, await menu.innerHTML());
  assert.equal(await page.getByRole("heading", { name: requestsRu.why }).isVisible(), true);
  // Where motion is reduced a colour changes with the next frame.
  await page.waitForFunction(`${COLOUR} !== ${JSON.stringify(onScreen)}`);
  const onPaper = await page.evaluate(COLOUR);
  await page.emulateMedia({ media: "screen", colorScheme: "light" });
  await page.evaluate("document.documentElement.dataset.theme = 'light'");
  await page.waitForFunction(`${COLOUR} !== ${JSON.stringify(onScreen)}`);
  assert.equal(await page.evaluate(COLOUR), onPaper);
  await page.emulateMedia({ media: "print" });
  await tab.screenshot("print-receipt");
  await tab.close();
});
