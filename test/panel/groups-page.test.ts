/**
 * Guarantee: a group that is made in the panel, and a key that is put into it there, hold at the API
 * at once; what was spent in it is shown to the kopeck.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { formatMoney } from "../../panel/src/i18n/format-money.ts";
import { groupsEn } from "../../panel/src/i18n/texts/groups.en.ts";
import { groupsRu } from "../../panel/src/i18n/texts/groups.ru.ts";
import { keysEn } from "../../panel/src/i18n/texts/keys.en.ts";
import { keysRu } from "../../panel/src/i18n/texts/keys.ru.ts";
import { wordsEn } from "../../panel/src/i18n/texts/words.en.ts";
import { wordsRu } from "../../panel/src/i18n/texts/words.ru.ts";
import type { PanelGroup, PanelGroupList } from "../../src/contract/panel/panel-group.ts";
import type { PanelView } from "../support/panel-browser.ts";
import { pageFaults } from "../support/page-faults.ts";
import { until } from "../support/until.ts";
import { openAccountPagesScene, type AccountPagesScene } from "./account-pages-scene.ts";

let scene: AccountPagesScene;
before(async () => {
  scene = await openAccountPagesScene();
});
after(() => scene[Symbol.asyncDispose]());

const VIEWS: readonly (readonly [
  string,
  PanelView,
  typeof groupsRu,
  typeof keysRu,
  typeof wordsRu,
])[] = [
  ["in Russian on a wide screen", { language: "ru" }, groupsRu, keysRu, wordsRu],
  [
    "in English on a phone in the dark",
    { language: "en", width: 390, theme: "dark" },
    groupsEn,
    keysEn,
    wordsEn,
  ],
];

for (const [name, view, t, ofKeys, words] of VIEWS)
  test(`the life of a group, ${name}`, { timeout: 300_000 }, async () => {
    const language = view.language ?? "ru";
    const person = await scene.newMember();
    const { secret, key } = await scene.newKey(person, "server one");
    await scene.newKey(person, "server two");
    const tab = await scene.openTab(person, view);
    const { page } = tab;
    const groupOf = async (): Promise<PanelGroup | undefined> =>
      (await person.ask("GET", "groups")).json<PanelGroupList>().data[0];
    const done = (text: string) => page.getByText(text).first().waitFor();
    const act = async (label: string): Promise<void> => {
      await page.getByRole("button", { name: t.menuOf("Research") }).click();
      await page.getByRole("menuitem", { name: label, exact: true }).click();
    };

    await tab.open("/groups");
    await page.getByText(t.emptyText).waitFor();
    await tab.screenshot(`groups-empty-${language}`);
    await page.getByRole("button", { name: t.create }).click();
    const dialog = page.getByRole("dialog", { name: t.createTitle });
    await dialog.getByLabel(t.name, { exact: true }).fill("Research");
    await dialog.getByLabel(t.limitAmount).fill("50,5");
    await tab.screenshot(`groups-form-${language}`);
    assert.deepEqual(await pageFaults(page), []);
    await dialog.getByRole("button", { name: t.create }).click();
    await done(t.made);
    const made = await groupOf();
    assert.deepEqual([made?.limit?.amount, made?.limit?.period], ["50.5", "month"]);

    // A key is put into it on its own page.
    await tab.open(`/keys/${key.hash}`);
    await page
      .locator(".page-head")
      .getByRole("button", { name: ofKeys.edit, exact: true })
      .click();
    await page
      .getByRole("dialog")
      .getByLabel(ofKeys.group, { exact: true })
      .selectOption({ label: "Research" });
    await tab.screenshot(`groups-picker-${language}`);
    await page.getByRole("button", { name: words.save }).click();
    await page.locator(".facts").getByText("Research").waitFor();
    for (let nth = 0; nth < 3; nth++) assert.equal((await scene.chat(secret)).status, 200);
    await until("the charges are booked", async () => (await groupOf())?.spentTotal !== "0");
    const spent = (await groupOf())?.spentMonth ?? "";

    await tab.open("/groups");
    await page.getByText(t.keys(1)).waitFor();
    await page.getByTitle(formatMoney(spent, language)).first().waitFor();
    await tab.screenshot(`groups-list-${language}`);
    assert.deepEqual(await pageFaults(page), []);

    await act(t.switchOff);
    const confirm = page.getByRole("alertdialog");
    await tab.screenshot(`groups-switch-off-${language}`);
    await confirm.getByRole("button", { name: t.switchOff, exact: true }).click();
    await done(t.switchedOff);
    assert.equal((await scene.chat(secret)).status, 403);
    await act(t.switchOn);
    await done(t.switchedOn);
    assert.equal((await scene.chat(secret)).status, 200);

    await act(t.edit);
    await page.getByRole("dialog", { name: t.editTitle }).getByLabel(t.limitAmount).fill("0,01");
    await page.getByRole("button", { name: words.save }).click();
    await done(t.saved);
    assert.equal((await scene.chat(secret)).status, 402, "what is spent is above it");
    await tab.screenshot(`groups-used-up-${language}`);

    await act(t.remove);
    await confirm.getByRole("button", { name: t.removeAction, exact: true }).click();
    await page.getByText(t.emptyText).waitFor();
    assert.equal((await scene.chat(secret)).status, 200, "its keys go on in none");
  });
