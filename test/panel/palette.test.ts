/**
 * Guarantee: by the command palette every page of a workspace, a key, a model, a request by its
 * number and, for operators, an account are reached by keyboard alone; it opens over no form.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { faultsRu } from "../../panel/src/i18n/texts/faults.ru.ts";
import { keysRu } from "../../panel/src/i18n/texts/keys.ru.ts";
import { paletteEn } from "../../panel/src/i18n/texts/palette.en.ts";
import { paletteRu } from "../../panel/src/i18n/texts/palette.ru.ts";
import { shellEn } from "../../panel/src/i18n/texts/shell.en.ts";
import { shellRu } from "../../panel/src/i18n/texts/shell.ru.ts";
import { wordsRu } from "../../panel/src/i18n/texts/words.ru.ts";
import { pageFaults } from "../support/page-faults.ts";
import { signUpAtPanel } from "../support/panel-session.ts";
import { openAccountPagesScene } from "./account-pages-scene.ts";
import { openOperatorScene } from "./operator-scene.ts";

/** The palette of a page, by keyboard alone. */
function paletteOf(page: Page, t: typeof paletteRu) {
  const dialog = page.getByRole("dialog", { name: t.title, exact: true });
  const options = dialog.getByRole("option");
  return {
    dialog,
    options,
    async open(): Promise<void> {
      await page.keyboard.press("Control+k");
      await dialog.getByRole("combobox").waitFor();
      assert.equal(await page.evaluate("document.activeElement.getAttribute('role')"), "combobox");
    },
    /** Types it and goes to what fits best, once that is `best`. */
    async goTo(typed: string, best: string, path: string): Promise<void> {
      await this.open();
      await page.keyboard.type(typed);
      await dialog.locator("[role=option][data-highlighted]").getByText(best).first().waitFor();
      await page.keyboard.press("Enter");
      await page.waitForURL((url) => url.pathname === `/panel${path}`);
      await dialog.waitFor({ state: "detached" });
    },
  };
}

test(
  "pages, a key, a model and a request, by name, in the other layout and by number",
  { timeout: 240_000 },
  async () => {
    await using scene = await openAccountPagesScene();
    const person = await scene.newMember();
    const { secret, key } = await scene.newKey(person, "server one");
    const { requestId } = await scene.chat(secret);
    const tab = await scene.openTab(person, { language: "ru" });
    const { page } = tab;
    const palette = paletteOf(page, paletteRu);
    await tab.open("/");
    await tab.settled();

    // Without a network it says so, and the page stays.
    await page.context().setOffline(true);
    await page.keyboard.press("Control+k");
    await page.getByText(faultsRu.byCode.network({})).first().waitFor();
    await page.getByRole("heading", { level: 1, name: shellRu.sections.overview }).waitFor();
    await page.context().setOffline(false);

    await palette.open();
    assert.deepEqual(await pageFaults(page), []);
    await tab.screenshot("palette-ru");
    // Nothing is typed: all pages, the first one ready, and none of the operators'.
    assert.ok((await palette.options.count()) > 10);
    assert.equal(await palette.options.getByText(shellRu.sections["operator-margin"]).count(), 0);
    await page.keyboard.press("ArrowDown");
    await palette.dialog
      .locator("[role=option][data-highlighted]")
      .getByText(shellRu.sections.playground)
      .waitFor();
    await page.keyboard.type(shellRu.sections["operator-margin"]);
    await palette.dialog.getByText(paletteRu.nothing).waitFor();
    assert.deepEqual(await pageFaults(page), []);
    await page.keyboard.press("Escape");
    await palette.dialog.waitFor({ state: "detached" });

    await palette.goTo("ключ", shellRu.sections.keys, "/keys");
    await palette.goTo("members", shellRu.sections.members, "/settings/members");
    await palette.goTo("pfghjcs", shellRu.sections.requests, "/requests");
    await palette.goTo("server o", "server one", `/keys/${key.hash}`);
    await palette.goTo("sandbox-large", "sandbox-large", "/models/sandbox-large");
    await palette.goTo(` ${requestId.toUpperCase()}`, requestId, `/requests/${requestId}`);

    // A sum stands in the form of a top-up; a word that is none leads to no payment.
    await palette.goTo("1200 руб", paletteRu.topUpBy("").trim(), "/billing");
    assert.equal(new URL(page.url()).searchParams.get("amount"), "1200");

    // By its button too, which has the focus again afterwards.
    const button = page.locator(".layout-head").getByRole("button", { name: shellRu.find });
    await button.focus();
    await page.keyboard.press("Enter");
    await palette.dialog.waitFor();
    await page.keyboard.press("Control+k");
    await palette.dialog.waitFor({ state: "detached" });
    assert.match(String(await page.evaluate("document.activeElement.className")), /palette-button/);

    // Over a form it does not open: what is filled in there stays.
    await tab.open("/keys");
    await page
      .locator(".page-head")
      .getByRole("button", { name: keysRu.create, exact: true })
      .click();
    const form = page.getByRole("dialog", { name: keysRu.createTitle });
    await form.getByLabel(keysRu.name).fill("half a name");
    await page.keyboard.press("Control+k");
    await tab.settled();
    assert.equal(await palette.dialog.count(), 0);
    assert.equal(await form.getByLabel(keysRu.name).inputValue(), "half a name");
    assert.deepEqual(tab.complaints, []);
  },
);

test("a developer finds what the panel shows to it, and nothing of the account", async () => {
  await using scene = await openAccountPagesScene();
  const developer = await scene.join(await scene.newMember(), "developer");
  const tab = await scene.openTab(developer, { language: "ru" });
  const { page } = tab;
  const palette = paletteOf(page, paletteRu);
  await tab.open("/keys");
  await palette.open();
  const { keys, requests, billing, members, log, overview } = shellRu.sections;
  await palette.options.getByText(keys, { exact: true }).waitFor();
  await palette.options.getByText(requests, { exact: true }).waitFor();
  for (const hidden of [billing, members, log, overview])
    assert.equal(await palette.options.getByText(hidden, { exact: true }).count(), 0, hidden);
  assert.deepEqual(tab.complaints, []);
});

test("on a phone it is in the menu", { timeout: 120_000 }, async () => {
  await using scene = await openAccountPagesScene();
  const tab = await scene.openTab(await scene.newMember(), { language: "ru", width: 390 });
  const { page } = tab;
  const palette = paletteOf(page, paletteRu);
  await tab.open("/");
  await page.getByRole("button", { name: wordsRu.more, exact: true }).click();
  await page
    .getByRole("dialog", { name: shellRu.menu })
    .getByRole("button", { name: shellRu.find })
    .click();
  await palette.dialog.getByRole("combobox").fill("опов");
  await tab.screenshot("palette-phone");
  assert.deepEqual(await pageFaults(page), []);
  await palette.options.getByText(shellRu.sections.alerts).click();
  await page.waitForURL((url) => url.pathname === "/panel/alerts");
  assert.deepEqual(tab.complaints, []);
});

test(
  "operators reach accounts by name and e-mail, and the pages of both workspaces",
  { timeout: 240_000 },
  async () => {
    await using scene = await openOperatorScene();
    const operator = await scene.newOperator("palette@example.test");
    const customer = await signUpAtPanel(scene.gateway, "Daisy & <b>sons</b>");
    const tab = await scene.browsers.openTab(operator, { language: "en" });
    const { page } = tab;
    const palette = paletteOf(page, paletteEn);
    const path = `/operator/accounts/${customer.accountId}`;
    await tab.open("/operator");
    await palette.goTo("daisy", "Daisy & <b>sons</b>", path);
    await palette.goTo(customer.email, customer.email, path);
    await palette.open();
    await page.keyboard.type("daisy");
    await palette.options.getByText("Daisy").waitFor();
    await tab.screenshot("palette-operator");
    assert.deepEqual(await pageFaults(page), []);
    await page.keyboard.press("Escape");
    await palette.goTo("маржа", shellEn.sections["operator-margin"], "/operator/margin");
    await palette.goTo("alerts", shellEn.sections.alerts, "/alerts");
    await palette.goTo("upstreams", shellEn.sections["operator-upstreams"], "/operator/upstreams");
    assert.deepEqual(tab.complaints, []);
  },
);
