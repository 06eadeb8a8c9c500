/**
 * Guarantee: in the panel a developer is shown its own keys and no balance, members are shown with
 * their keys before one of them goes, what they changed can be read, and who has to set up a second
 * factor is led to it.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Secret, TOTP } from "otpauth";
import { accountLogEn } from "../../panel/src/i18n/texts/account-log.en.ts";
import { accountLogRu } from "../../panel/src/i18n/texts/account-log.ru.ts";
import { authEn } from "../../panel/src/i18n/texts/auth.en.ts";
import { authRu } from "../../panel/src/i18n/texts/auth.ru.ts";
import { keysEn } from "../../panel/src/i18n/texts/keys.en.ts";
import { keysRu } from "../../panel/src/i18n/texts/keys.ru.ts";
import { settingsEn } from "../../panel/src/i18n/texts/settings.en.ts";
import { settingsRu } from "../../panel/src/i18n/texts/settings.ru.ts";
import { shellEn } from "../../panel/src/i18n/texts/shell.en.ts";
import { shellRu } from "../../panel/src/i18n/texts/shell.ru.ts";
import { wordsEn } from "../../panel/src/i18n/texts/words.en.ts";
import { wordsRu } from "../../panel/src/i18n/texts/words.ru.ts";
import type { PanelGroup } from "../../src/contract/panel/panel-group.ts";
import type { PanelKey, PanelKeyList } from "../../src/contract/panel/panel-key.ts";
import type { PanelView } from "../support/panel-browser.ts";
import { pageFaults } from "../support/page-faults.ts";
import type { PanelPerson } from "../support/panel-session.ts";
import { openAccountPagesScene, type AccountPagesScene } from "./account-pages-scene.ts";

let scene: AccountPagesScene;
before(async () => {
  scene = await openAccountPagesScene();
});
after(() => scene[Symbol.asyncDispose]());

const RU = {
  log: accountLogRu,
  auth: authRu,
  keys: keysRu,
  settings: settingsRu,
  shell: shellRu,
  words: wordsRu,
};
const EN: typeof RU = {
  log: accountLogEn,
  auth: authEn,
  keys: keysEn,
  settings: settingsEn,
  shell: shellEn,
  words: wordsEn,
};
const VIEWS: readonly (readonly [string, PanelView, typeof RU])[] = [
  ["in Russian on a wide screen", { language: "ru" }, RU],
  ["in English on a phone in the dark", { language: "en", width: 390, theme: "dark" }, EN],
];

const code = (secret: string): string => new TOTP({ secret: Secret.fromBase32(secret) }).generate();

async function enrol(person: PanelPerson): Promise<void> {
  const { secret } = (await person.ask("POST", "totp/begin")).json<{ secret: string }>();
  const confirmed = await person.ask("POST", "totp/confirm", { code: code(secret) });
  assert.equal(confirmed.status, 200, confirmed.text);
}

const keysOf = async (person: PanelPerson): Promise<PanelKey[]> =>
  (await person.ask("GET", "keys")).json<PanelKeyList>().data;

for (const [name, view, t] of VIEWS) {
  const language = view.language ?? "ru";

  test(`a developer's panel, ${name}`, { timeout: 300_000 }, async () => {
    const owner = await scene.newMember();
    const developer = await scene.join(owner, "developer");
    await scene.newKey(owner, "of the account");
    const tab = await scene.openTab(developer, view);
    const { page } = tab;
    await tab.open("/");
    await page.getByRole("heading", { name: t.keys.title, level: 1 }).waitFor();
    assert.equal(new URL(page.url()).pathname, "/panel/keys", "it begins with its keys");
    await page.getByText(t.keys.emptyText).waitFor();
    assert.equal(await page.getByText("of the account").count(), 0);
    assert.equal(await page.getByText(t.shell.topUp).count(), 0);
    assert.equal(await page.getByRole("button", { name: t.keys.freezeAll }).count(), 0);
    await page.getByRole("button", { name: t.keys.create }).first().click();
    const dialog = page.getByRole("dialog", { name: t.keys.createTitle });
    assert.equal(await dialog.getByLabel(t.keys.group, { exact: true }).count(), 0);
    assert.equal(await dialog.getByLabel(t.keys.owner, { exact: true }).count(), 0);
    await dialog.getByLabel(t.keys.name, { exact: true }).fill("my laptop");
    await tab.screenshot(`teams-developer-key-${language}`);
    await dialog.getByRole("button", { name: t.keys.create }).click();
    await page.getByRole("dialog").locator("code").first().waitFor();
    const [key] = await keysOf(developer);
    assert.equal(key?.owner?.memberId, developer.memberId);
    await tab.open("/requests");
    assert.deepEqual(await pageFaults(page), []);
    await tab.open("/settings/profile");
    assert.equal(await page.getByRole("link", { name: t.shell.sections.members }).count(), 0);
    assert.deepEqual(tab.complaints, []);
    await tab.close();
  });

  test(`members, their keys and the log, ${name}`, { timeout: 300_000 }, async () => {
    const owner = await scene.newMember();
    const [developer, heir] = [
      await scene.join(owner, "developer"),
      await scene.join(owner, "developer"),
    ];
    const { key, secret } = await scene.newKey(developer, "job");
    assert.equal((await scene.chat(secret)).status, 200);
    const made = await owner.ask("POST", "groups", { name: "Research" });
    const tab = await scene.openTab(owner, view);
    const { page } = tab;
    const menuOf = async (email: string, item: string): Promise<void> => {
      await page
        .getByRole("button", { name: `${t.settings.changeRole}: ${email}`, exact: true })
        .click();
      await page.getByRole("menuitem", { name: item, exact: true }).click();
    };
    await tab.open("/settings/members");
    await page.getByText(t.settings.memberSpend).waitFor();
    await tab.screenshot(`teams-members-${language}`);
    assert.deepEqual(await pageFaults(page), []);

    await menuOf(heir.email, t.settings.chooseGroup);
    await page
      .getByRole("dialog")
      .getByLabel(t.settings.keyGroup, { exact: true })
      .selectOption({ label: "Research" });
    await tab.screenshot(`teams-group-${language}`);
    await page.getByRole("dialog").getByRole("button", { name: t.words.save }).click();
    await page.getByText(t.settings.groupChosen).first().waitFor();
    const later = await scene.newKey(heir, "bounded");
    assert.equal(later.key.group?.id, made.json<PanelGroup>().id);

    await menuOf(developer.email, t.settings.remove);
    const confirm = page.getByRole("alertdialog");
    await confirm.getByText(t.settings.removeText(1)).waitFor();
    await tab.screenshot(`teams-remove-${language}`);
    await confirm.getByRole("button", { name: t.settings.remove, exact: true }).click();
    await page.getByText(t.settings.removed).first().waitFor();
    assert.equal((await scene.chat(secret)).status, 200, "its key goes on");

    // Who manages gives it to another member.
    await tab.open(`/keys/${key.hash}`);
    await page.locator(".facts").getByText(t.keys.ownedByAccount).waitFor();
    await page
      .locator(".page-head")
      .getByRole("button", { name: t.keys.edit, exact: true })
      .click();
    await page
      .getByRole("dialog")
      .getByLabel(t.keys.owner, { exact: true })
      .selectOption({ label: heir.email });
    await page.getByRole("button", { name: t.words.save }).click();
    await page.locator(".facts").getByText(heir.email).waitFor();
    assert.ok((await keysOf(heir)).some(({ hash }) => hash === key.hash));

    await tab.open("/settings/log");
    // Beside the filter, which has them all.
    for (const action of ["member.remove", "key.create"] as const)
      await page.getByText(t.log.actions[action]).filter({ visible: true }).first().waitFor();
    await tab.screenshot(`teams-log-${language}`);
    assert.deepEqual(await pageFaults(page), []);
    assert.deepEqual(tab.complaints, []);
    await tab.close();
  });

  test(`a second factor for all, ${name}`, { timeout: 300_000 }, async () => {
    const owner = await scene.newMember();
    const manager = await scene.join(owner, "manager");
    await enrol(owner);
    const tab = await scene.openTab(owner, view);
    await tab.open("/settings/members");
    await tab.page.getByRole("switch", { name: t.settings.factorWanted }).click();
    await tab.page.getByText(t.settings.factorOn).first().waitFor();
    await tab.screenshot(`teams-factor-${language}`);
    await tab.close();

    const led = await scene.openTab(manager, view);
    const { page } = led;
    await led.open("/keys");
    await page.getByRole("heading", { name: t.auth.enrolTitle }).waitFor();
    assert.match(new URL(page.url()).pathname, /\/log-in$/);
    await page.getByRole("button", { name: t.settings.totpBegin }).click();
    await led.screenshot(`teams-enrol-${language}`);
    const secret = (await page.locator(".confirm-totp code").innerText()).replaceAll(" ", "");
    await page.getByLabel(t.settings.totpCode).fill(code(secret));
    await page.getByRole("button", { name: t.settings.totpConfirm }).click();
    await page.getByRole("button", { name: t.settings.recoveryKept }).click();
    await page.getByRole("heading", { name: t.keys.title, level: 1 }).waitFor();
    await led.close();
  });
}
