/**
 * Guarantee: a key made in the panel works at once, its secret is seen once and never again
 * anywhere, and what is done to it holds at the API.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { formatMoney } from "../../panel/src/i18n/format-money.ts";
import { faultsEn } from "../../panel/src/i18n/texts/faults.en.ts";
import { keysEn } from "../../panel/src/i18n/texts/keys.en.ts";
import { keysRu } from "../../panel/src/i18n/texts/keys.ru.ts";
import { wordsEn } from "../../panel/src/i18n/texts/words.en.ts";
import { wordsRu } from "../../panel/src/i18n/texts/words.ru.ts";
import type { LedgerPage } from "../../src/contract/panel/ledger-entry.ts";
import type { PanelKey, PanelKeyList } from "../../src/contract/panel/panel-key.ts";
import { parseRoubles } from "../../src/kernel/money.ts";
import { dumpDatabase } from "../support/dump-database.ts";
import type { PanelView } from "../support/panel-browser.ts";
import { pageFaults } from "../support/page-faults.ts";
import type { PanelPerson } from "../support/panel-session.ts";
import { runInShell, secretIn } from "../support/start-tollgate.ts";
import { until } from "../support/until.ts";
import { openAccountPagesScene, type AccountPagesScene } from "./account-pages-scene.ts";

const REFUSED = 401;

let scene: AccountPagesScene;
before(async () => {
  scene = await openAccountPagesScene();
});
after(() => scene[Symbol.asyncDispose]());

/** Of the dialog that is open; it says that it will not come back. */
async function takeSecret(page: Page, t: typeof keysRu): Promise<string> {
  const dialog = page.getByRole("dialog", { name: t.secretTitle });
  await dialog.getByText(t.secretText).waitFor();
  const secret = secretIn(String(await dialog.textContent()));
  assert.ok(secret !== null);
  await page.keyboard.press("Escape");
  assert.equal(
    await dialog.getByText(t.secretText).isVisible(),
    true,
    "only who says so has saved it",
  );
  return secret;
}

async function saySaved(page: Page, t: typeof keysRu): Promise<void> {
  await page.getByRole("button", { name: t.secretSaved }).click();
  await page.getByRole("dialog", { name: t.secretTitle }).waitFor({ state: "detached" });
}

async function assertNowhere(secret: string, page: Page, person: PanelPerson): Promise<void> {
  const looks: readonly (readonly [where: string, text: string])[] = [
    ["the page", await page.content()],
    ["its address", page.url()],
    [
      "its storage",
      (await page.evaluate(
        "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state])",
      )) as string,
    ],
    ["the list of keys", (await person.ask("GET", "keys?deleted=true")).text],
    ["the database", await dumpDatabase(scene.database.db)],
  ];
  for (const [where, text] of looks) {
    assert.ok(text.length > 0, where);
    assert.ok(!text.includes(secret), `the secret is in ${where}`);
    assert.ok(
      !text.includes(Buffer.from(secret).toString("hex")),
      `the secret is in ${where}, as hex`,
    );
  }
}

async function ledgerOf(person: PanelPerson): Promise<LedgerPage["data"]> {
  return (await person.ask("GET", "ledger")).json<LedgerPage>().data;
}

const VIEWS: readonly (readonly [string, PanelView, typeof keysRu, typeof wordsRu])[] = [
  ["in Russian on a wide screen", { language: "ru" }, keysRu, wordsRu],
  [
    "in English on a phone in the dark",
    { language: "en", width: 390, theme: "dark" },
    keysEn,
    wordsEn,
  ],
];

for (const [name, view, t, words] of VIEWS) {
  test(`the life of a key, ${name}`, { timeout: 300_000 }, async () => {
    const language = view.language ?? "ru";
    const person = await scene.newMember();
    const tab = await scene.openTab(person, view);
    const { page } = tab;
    const action = (label: string) =>
      page.locator(".page-head").getByRole("button", { name: label, exact: true });

    await tab.open("/keys");
    await page.getByText(t.emptyText).waitFor();
    await tab.screenshot(`keys-empty-${language}`);
    await action(t.create).click();
    await page.getByLabel(t.name).fill("server one");
    await page.getByLabel(t.limitAmount).fill("500,5");
    await page.getByText(t.more).click();
    await page.getByLabel(t.requestsPerMinute).fill("600");
    await tab.screenshot(`keys-form-${language}`);
    assert.deepEqual(await pageFaults(page), []);
    await page
      .getByRole("dialog", { name: t.createTitle })
      .getByRole("button", { name: t.create })
      .click();

    const secret = await takeSecret(page, t);
    await tab.screenshot(`keys-secret-${language}`);
    assert.deepEqual(await pageFaults(page), []);
    // Every example has this key in it; those for the shell are run as they are.
    for (const snippet of await page.getByRole("tab").all()) {
      await snippet.click();
      const shown = page.getByRole("tabpanel", {
        name: String(await snippet.textContent()),
        exact: true,
      });
      const code = String(await shown.locator("code").textContent());
      assert.ok(code.includes(secret) && code.includes(scene.url), code);
      if (code.startsWith("curl"))
        assert.match(await runInShell(`${code} --silent --fail`), /"usage"/);
    }
    await saySaved(page, t);
    await page.getByRole("link", { name: "server one" }).waitFor();
    await assertNowhere(secret, page, person);
    await page.reload();
    await page.getByRole("link", { name: "server one" }).waitFor();
    await assertNowhere(secret, page, person);
    await until(
      "two charges",
      async () => (await ledgerOf(person)).filter(({ kind }) => kind === "charge").length === 2,
    );
    await tab.open("/keys");
    await page.getByRole("link", { name: "server one" }).waitFor();
    await tab.screenshot(`keys-list-${language}`);
    assert.deepEqual(await pageFaults(page), []);

    // What was called with it stands among the requests, at the price that the ledger took.
    await page.getByRole("link", { name: "server one" }).click();
    await page.getByRole("heading", { level: 1, name: "server one" }).waitFor();
    await page.getByRole("link", { name: t.requests }).click();
    await page.locator("tbody tr").first().waitFor();
    assert.equal(await page.locator("tbody tr").count(), 2);
    const reported = await page
      .locator("tbody tr td:last-child .figure")
      .evaluateAll((figures) => figures.map((figure) => figure.getAttribute("title")));
    const charges = (await ledgerOf(person))
      .filter(({ kind }) => kind === "charge")
      .map(({ change }) => formatMoney(change.slice(1), language));
    assert.deepEqual(reported.toSorted(), charges.toSorted());
    await page.locator("tbody tr a").first().click();
    await page
      .getByText(reported[0] ?? "")
      .first()
      .waitFor();
    await page.goBack();
    await page.goBack();

    // Frozen it is refused, and works again after.
    await action(t.freeze).click();
    await page
      .getByRole("alertdialog")
      .getByRole("button", { name: t.freeze, exact: true })
      .click();
    await page.getByText(t.frozenBanner).waitFor();
    assert.equal((await scene.chat(secret)).status, REFUSED);
    await action(t.unfreeze).click();
    await action(t.freeze).waitFor();
    assert.equal((await scene.chat(secret)).status, 200);

    // Changed: what it may is told at once, and the rest stays.
    await action(t.edit).click();
    await page.getByLabel(t.ips).fill("203.0.113.7");
    await page.getByRole("button", { name: words.save }).click();
    await page.locator(".facts").getByText("203.0.113.7").waitFor();
    assert.equal((await scene.chat(secret)).status, 403, "this machine is not at that address");
    await action(t.edit).click();
    await page.getByLabel(t.ips).fill("nowhere");
    await page.getByRole("button", { name: words.save }).click();
    await page.getByText(t.mistakes.ips).waitFor();
    await page.getByLabel(t.ips).fill("");
    await page.getByRole("button", { name: words.save }).click();
    await page.locator(".facts").getByText(t.anywhere).waitFor();
    const [changed] = (await person.ask("GET", "keys")).json<PanelKeyList>().data;
    assert.deepEqual(
      [changed?.limit?.amount, changed?.requestsPerMinute, changed?.ips],
      ["500.5", 600, null],
    );
    assert.equal(
      parseRoubles(changed?.spentTotal ?? ""),
      -(await ledgerOf(person)).reduce(
        (sum, { kind, change }) => (kind === "charge" ? sum + (parseRoubles(change) ?? 0n) : sum),
        0n,
      ),
    );
    await page.locator(".dialog").waitFor({ state: "detached" });
    await tab.screenshot(`key-${language}`);
    assert.deepEqual(await pageFaults(page), []);

    // Rolled: both work for a while, and the new secret is as secret as the old one.
    await action(t.roll).click();
    await page.getByRole("alertdialog").getByRole("button", { name: t.rollAction }).click();
    const heir = await takeSecret(page, t);
    assert.notEqual(heir, secret);
    // Looking elsewhere and coming back reads the page anew, and does not take the secret away.
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await page.waitForLoadState("networkidle");
    assert.ok(
      String(await page.getByRole("dialog", { name: t.secretTitle }).textContent()).includes(heir),
    );
    await saySaved(page, t);
    await action(t.roll).waitFor();
    await assertNowhere(heir, page, person);
    assert.deepEqual(
      [(await scene.chat(secret)).status, (await scene.chat(heir)).status],
      [200, 200],
    );

    // Deleted for good, by who typed its name.
    await action(t.remove).click();
    const confirm = page.getByRole("alertdialog").getByRole("button", { name: t.removeAction });
    assert.equal(await confirm.isDisabled(), true);
    await page.getByLabel(t.removeTyped).fill("server one");
    await confirm.click();
    await page.getByRole("heading", { level: 1, name: t.title }).waitFor();
    assert.equal((await scene.chat(heir)).status, REFUSED);

    // All at once.
    await action(t.freezeAll).click();
    await page.getByRole("alertdialog").getByRole("button", { name: t.freezeAll }).click();
    await page.getByText(t.frozenAll(1)).waitFor();
    assert.equal((await scene.chat(secret)).status, REFUSED);
    assert.deepEqual(tab.complaints, []);
    await tab.close();
  });
}

test("a name that is a script is only ever read", { timeout: 120_000 }, async () => {
  const hostile = `<img src=x onerror="window.ran=1"><script>window.ran=1</script>`;
  const person = await scene.newMember();
  const { secret, key } = await scene.newKey(person, hostile);
  await scene.chat(secret);
  const tab = await scene.openTab(person);
  const { page } = tab;
  for (const path of [
    "/",
    "/?split=key",
    "/keys",
    `/keys/${key.hash}`,
    "/requests",
    `/requests?keyHash=${key.hash}`,
  ]) {
    await tab.open(path);
    await page.getByText(hostile).first().waitFor({ state: "attached" });
    assert.equal(await page.evaluate("window.ran"), undefined, path);
  }
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});

test("a secret is copied where the browser has no clipboard for plain HTTP, and its owner is told where it cannot be", async () => {
  const person = await scene.newMember();
  const tab = await scene.openTab(person, { language: "en" });
  const { page } = tab;
  await page.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
  await tab.open("/keys");
  await page.getByRole("button", { name: keysEn.create }).first().click();
  await page.getByLabel(keysEn.name).fill("over plain HTTP");
  const form = page.getByRole("dialog", { name: keysEn.createTitle });
  await form.getByRole("button", { name: keysEn.create }).click();
  const shown = page.getByRole("dialog", { name: keysEn.secretTitle });
  const copy = shown.getByRole("button", { name: `${wordsEn.copy}: ${keysEn.secret}` }).last();
  await copy.click();
  await shown.getByRole("button", { name: wordsEn.copied }).waitFor();
  const reader = await page.context().newPage();
  await reader.goto(`${scene.url}/panel/`);
  const secret = await takeSecret(page, keysEn);
  assert.equal(await reader.evaluate("navigator.clipboard.readText()"), secret);
  await page.bringToFront();
  await copy.waitFor();
  await page.evaluate("document.execCommand = () => false");
  await copy.click();
  await shown.getByRole("button", { name: wordsEn.copyYourself }).waitFor();
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});

test("without a network a form says so at once, and is not sent by itself when the network is there again", async () => {
  const person = await scene.newMember();
  const tab = await scene.openTab(person, { language: "en" });
  const { page } = tab;
  await tab.open("/keys");
  await page.getByRole("button", { name: keysEn.create }).first().click();
  const form = page.getByRole("dialog", { name: keysEn.createTitle });
  await form.getByLabel(keysEn.name).fill("made once");
  await page.context().setOffline(true);
  await form.getByRole("button", { name: keysEn.create }).click();
  await form.getByRole("alert").getByText(faultsEn.byCode.network({})).waitFor();
  // To look at a section that was not fetched yet takes nothing of this page away.
  await page.locator('a[href="/panel/alerts"]').first().dispatchEvent("mouseover");
  await page.waitForTimeout(500);
  assert.equal(await form.getByLabel(keysEn.name).inputValue(), "made once");
  await page.context().setOffline(false);
  await page.waitForTimeout(1_000);
  const named = async (): Promise<readonly string[]> =>
    (await person.ask("GET", "keys")).json<PanelKeyList>().data.map(({ name }) => name);
  assert.deepEqual(await named(), []);
  await form.getByRole("button", { name: keysEn.create }).click();
  await takeSecret(page, keysEn);
  assert.deepEqual(await named(), ["made once"]);
  await saySaved(page, keysEn);
  await page.context().setOffline(true);
  await page.getByRole("link", { name: "Billing" }).first().click();
  await page.getByRole("alert").getByText(faultsEn.offlineText).waitFor();
  await page.getByRole("navigation", { name: "Sections" }).waitFor();
  await tab.close();
});

test("a key that another changed meanwhile is shown so, and both changes hold", async () => {
  const person = await scene.newMember();
  const { key } = await scene.newKey(person, "shared");
  const tab = await scene.openTab(person, { language: "ru" });
  const { page } = tab;
  await tab.open(`/keys/${key.hash}`);
  await page.locator(".page-head").getByRole("button", { name: keysRu.edit }).click();
  const dialog = page.getByRole("dialog", { name: keysRu.editTitle, exact: true });
  await dialog.getByLabel(keysRu.limitAmount).fill("300");
  await person.ask("POST", `keys/${key.hash}`, { name: "renamed", requestsPerMinute: 60 });
  const save = dialog.getByRole("button", { name: wordsRu.save });
  await save.click();
  await dialog.getByText(wordsRu.meanwhile).waitFor();
  await dialog.getByText(wordsRu.changedFromTo(keysRu.name, "shared", "renamed")).waitFor();
  await dialog
    .getByText(wordsRu.changedFromTo(keysRu.requestsPerMinute, keysRu.unlimited, "60"))
    .waitFor();
  assert.equal(await dialog.getByLabel(keysRu.name).inputValue(), "renamed");
  assert.equal(await dialog.getByLabel(keysRu.limitAmount).inputValue(), "300");
  await tab.screenshot("keys-changed-meanwhile");
  assert.deepEqual(await pageFaults(page), []);
  await save.click();
  await dialog.waitFor({ state: "detached" });
  const now = (await person.ask("GET", `keys/${key.hash}`)).json<PanelKey>();
  assert.deepEqual([now.name, now.limit?.amount, now.requestsPerMinute], ["renamed", "300", 60]);
  await tab.close();
});
