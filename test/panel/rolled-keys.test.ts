/**
 * Guarantee: a key whose place another one took says so wherever it is listed: the two have one
 * name.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { keysEn } from "../../panel/src/i18n/texts/keys.en.ts";
import { keysRu } from "../../panel/src/i18n/texts/keys.ru.ts";
import { openAccountPagesScene, type AccountPagesScene } from "./account-pages-scene.ts";

let scene: AccountPagesScene;
before(async () => {
  scene = await openAccountPagesScene();
});
after(() => scene[Symbol.asyncDispose]());

for (const [language, t, left] of [
  ["ru", keysRu, "прежний, отключится завтра"],
  ["en", keysEn, "old, stops tomorrow"],
] as const) {
  test(`the old one of two keys of one name says that it is, and when it stops, ${language}`, async () => {
    const person = await scene.newMember();
    const { key } = await scene.newKey(person, "server one");
    assert.equal(
      (await person.ask("POST", `keys/${key.hash}/roll`, { overlapHours: 30 })).status,
      201,
    );
    const tab = await scene.openTab(person, { language });
    const { page } = tab;
    await tab.open("/keys");
    const rows = page.getByRole("row", { name: "server one" });
    await rows.nth(1).waitFor();
    assert.equal(await rows.filter({ hasText: left }).count(), 1);
    assert.equal(await rows.filter({ hasText: key.mask }).getByText(left).count(), 1);
    await tab.screenshot(`keys-rolled-${language}`);
    await tab.open(`/keys/${key.hash}`);
    await page.getByText(t.rolledBanner).waitFor();
    await page.locator(".page-head, main").getByText(left).first().waitFor();
    assert.deepEqual(tab.complaints, []);
    await tab.close();
  });
}
