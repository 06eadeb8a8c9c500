/**
 * Protects: a part of the panel that is gone because the server was updated is fetched by loading
 * the page anew, and for nothing else is a page taken away.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { faultsEn } from "../../panel/src/i18n/texts/faults.en.ts";
import { openAccountPagesScene, type AccountPagesScene } from "./account-pages-scene.ts";

let scene: AccountPagesScene;
before(async () => {
  scene = await openAccountPagesScene();
});
after(() => scene[Symbol.asyncDispose]());

const PART = /\/assets\/alerts-page-[^/]+\.js$/;
const SAME = "window.sameDocument";

for (const updated of [true, false]) {
  test(updated ? "after an update" : "without one", async () => {
    const tab = await scene.openTab(await scene.newMember(), { language: "en" });
    const { page } = tab;
    await tab.open("/keys");
    await page.evaluate(`${SAME} = true`);
    await page.route(PART, (route) => (updated ? route.fulfill({ status: 404 }) : route.abort()));
    await page.route(/\/panel\/$/, async (route) => {
      const page = await route.fetch();
      const body = await page.text();
      await route.fulfill({
        response: page,
        body: updated ? body.replaceAll(/index-[^"]+\.js/g, "index-newer.js") : body,
      });
    });
    const link = page.getByRole("link", { name: "Alerts" }).first();
    if (updated) {
      await Promise.all([page.waitForEvent("load"), link.click()]);
      assert.equal(await page.evaluate(SAME), undefined);
    } else {
      await link.click();
      await page.getByRole("alert").getByText(faultsEn.offlineText).waitFor();
      await page.waitForTimeout(500);
      assert.equal(await page.evaluate(SAME), true);
      await page.getByRole("link", { name: "Keys" }).first().click();
      await page.getByRole("heading", { name: "Keys", level: 1 }).waitFor();
    }
    await tab.close();
  });
}
