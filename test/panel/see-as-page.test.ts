/**
 * Protects, in a real Chromium: while an operator sees a customer's panel it says so on every page,
 * has no button that changes anything, and leads back, by the button and when it is over.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { operatorAccountsRu } from "../../panel/src/i18n/texts/operator-accounts.ru.ts";
import { operatorAccountsEn } from "../../panel/src/i18n/texts/operator-accounts.en.ts";
import { accountLogRu } from "../../panel/src/i18n/texts/account-log.ru.ts";
import { filesRu } from "../../panel/src/i18n/texts/files.ru.ts";
import { keysRu } from "../../panel/src/i18n/texts/keys.ru.ts";
import { shellEn } from "../../panel/src/i18n/texts/shell.en.ts";
import { shellRu } from "../../panel/src/i18n/texts/shell.ru.ts";
import type { PanelKeyMade } from "../../src/contract/panel/panel-key.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import { pageFaults } from "../support/page-faults.ts";
import type { PanelTab, PanelView } from "../support/panel-browser.ts";
import { signUpAtPanel, type PanelPerson } from "../support/panel-session.ts";
import { openOperatorScene, type OperatorScene } from "./operator-scene.ts";

const NAME = "ООО «Ромашка и партнёры»";
const RU = { accounts: operatorAccountsRu, shell: shellRu };
const EN: typeof RU = { accounts: operatorAccountsEn, shell: shellEn };
/** Every page of the account that the menu leads to, and those of its settings. */
const PAGES = [
  "/",
  "/requests",
  "/tasks",
  "/batches",
  "/files",
  "/models",
  "/keys",
  "/groups",
  "/billing",
  "/alerts",
  "/settings/members",
  "/settings/log",
];

let scene: OperatorScene;
let customer: PanelPerson;
let key: PanelKeyMade;
before(async () => {
  scene = await openOperatorScene();
  customer = await signUpAtPanel(scene.gateway, NAME);
  await scene.tollgate.json("topup", customer.accountId, "1000");
  key = (await customer.ask("POST", "keys", { name: "site" })).json<PanelKeyMade>();
  await customer.ask("POST", "groups", { name: "Отдел" });
  assert.equal(await scene.chat(key.secret), 200);
  const form = new FormData();
  form.set("file", new File(["just words"], "договор.txt", { type: "text/plain" }));
  const stored = await fetch(`${scene.url}/v1/storage/upload`, {
    method: "POST",
    headers: { authorization: `Bearer ${key.secret}` },
    body: form,
  });
  assert.ok(stored.ok, await stored.text());
});
after(() => scene[Symbol.asyncDispose]());

async function openSeen(tab: PanelTab, t: typeof RU): Promise<void> {
  await tab.open(`/operator/accounts/${customer.accountId}`);
  await tab.page.getByRole("button", { name: t.accounts.seeAs, exact: true }).click();
  const dialog = tab.page.getByRole("alertdialog");
  await dialog.getByText(t.accounts.seeAsText).waitFor();
  await dialog.getByRole("button", { name: t.accounts.seeAsDo, exact: true }).click();
  await tab.page.getByText(t.shell.seeingAs(NAME)).waitFor();
}

const VIEWS: readonly (readonly [string, PanelView, typeof RU])[] = [
  ["in Russian on a wide screen", { language: "ru" }, RU],
  ["in Russian on a phone", { language: "ru", width: 390 }, RU],
  ["in English in the dark", { language: "en", theme: "dark" }, EN],
];

for (const [name, view, t] of VIEWS) {
  test(`a customer's panel as an operator sees it, ${name}`, { timeout: 300_000 }, async () => {
    const operator = await scene.newOperator(`seer-${newUuid()}@example.test`);
    const tab = await scene.browsers.openTab(operator, view);
    const { page } = tab;
    const label = `see-as-${view.language}-${view.width ?? 1280}`;
    await tab.open(`/operator/accounts/${customer.accountId}`);
    await page.getByRole("button", { name: t.accounts.seeAs, exact: true }).click();
    await page.getByRole("alertdialog").waitFor();
    await tab.screenshot(`${label}-asks`);
    await page.keyboard.press("Escape");
    await openSeen(tab, t);
    assert.equal(new URL(page.url()).pathname, "/panel/");
    const banner = page.getByText(t.shell.seeingAs(NAME));
    for (const path of PAGES) {
      await tab.open(path);
      await tab.settled();
      assert.ok(await banner.isVisible(), path);
      await page.mouse.wheel(0, 4_000);
      const box = await banner.boundingBox();
      assert.ok(box !== null && box.y >= 0 && box.y < 260, `${path}: it stays in sight`);
      await tab.screenshot(`${label}${path.replaceAll("/", "-")}`);
      assert.deepEqual(await pageFaults(page), [], path);
      for (const link of ["/panel/playground", "/panel/operator"])
        assert.equal(await page.locator(`nav a[href="${link}"]`).count(), 0, path);
      assert.equal(await page.locator('a[href*="/static/"], a[href*=".csv"]').count(), 0, path);
      // A refusal would be on the page: everything that it asks for is shown.
      assert.equal(
        await page.getByText(/as a customer does|Вы смотрите панель как клиент:/).count(),
        0,
        path,
      );
    }
    await tab.open(`/keys/${key.key.hash}`);
    await banner.waitFor();
    await tab.open("/operator");
    assert.ok(await banner.isVisible(), "the gateway's pages are not there meanwhile");
    await page.getByRole("button", { name: t.shell.leaveSeeing, exact: true }).click();
    await page.waitForURL(`**/panel/operator/accounts/${customer.accountId}`);
    await page.getByRole("button", { name: t.accounts.seeAs, exact: true }).waitFor();
    assert.equal(await banner.count(), 0);
    assert.deepEqual(tab.complaints, []);
    await tab.close();
  });
}

test("its customer finds it in the log; and no form of the panel is there to change anything", async () => {
  const operator = await scene.newOperator(`seer-${newUuid()}@example.test`);
  const tab = await scene.browsers.openTab(operator);
  await openSeen(tab, RU);
  for (const [path, names] of [
    ["/keys", [keysRu.create, keysRu.freezeAll]],
    ["/files", [filesRu.removeOf("договор.txt")]],
    [`/keys/${key.key.hash}`, [keysRu.edit, keysRu.roll, keysRu.freeze, keysRu.remove]],
  ] as const) {
    await tab.open(path);
    await tab.settled();
    for (const name of names)
      assert.equal(await tab.page.getByRole("button", { name, exact: true }).count(), 0, name);
  }
  await tab.close();
  const owner = await scene.browsers.openTab(customer);
  await owner.open("/settings/log");
  await owner.page
    .locator("td", { hasText: accountLogRu.actions["account.see_as"] })
    .first()
    .waitFor();
  await owner.page.getByText(operator.email).first().waitFor();
  await owner.screenshot("see-as-log");
  await owner.close();
});

test("when it is over the operator is back, and another tab never mistakes one panel for the other", async () => {
  const operator = await scene.newOperator(`seer-${newUuid()}@example.test`);
  const tab = await scene.browsers.openTab(operator);
  const { page } = tab;
  const other = await page.context().newPage();
  await other.goto(`${scene.url}/panel/keys`);
  await other.getByRole("heading", { level: 1 }).waitFor();
  assert.equal(await other.getByText(RU.shell.seeingAs(NAME)).count(), 0);
  await openSeen(tab, RU);
  await other.getByText(RU.shell.seeingAs(NAME)).waitFor();
  // As the browser would have it half an hour later.
  const cookies = await page.context().cookies();
  const seeing = cookies.find((one) => one.name === "tollgate_see_as") ?? assert.fail();
  await page
    .context()
    .addCookies([{ ...seeing, value: seeing.value.replace(/\.\d{13}\./, ".1700000000000.") }]);
  await page.getByRole("link", { name: RU.shell.sections.keys, exact: true }).click();
  await page.waitForURL(`**/panel/operator/accounts/${customer.accountId}`);
  await page.getByRole("button", { name: RU.accounts.seeAs, exact: true }).waitFor();
  await other.getByText(RU.shell.seeingAs(NAME)).waitFor({ state: "detached" });
  await tab.close();
});
