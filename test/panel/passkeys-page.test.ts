/**
 * Protects: in a real Chromium a member adds a passkey in the settings, logs in by it with the button
 * and by what the browser offers in the field of the e-mail, and takes it away; in both languages.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { CDPSession, Page } from "playwright-core";
import { accountLogEn } from "../../panel/src/i18n/texts/account-log.en.ts";
import { accountLogRu } from "../../panel/src/i18n/texts/account-log.ru.ts";
import { authEn } from "../../panel/src/i18n/texts/auth.en.ts";
import { authRu } from "../../panel/src/i18n/texts/auth.ru.ts";
import { passkeysEn } from "../../panel/src/i18n/texts/passkeys.en.ts";
import { passkeysRu } from "../../panel/src/i18n/texts/passkeys.ru.ts";
import { settingsEn } from "../../panel/src/i18n/texts/settings.en.ts";
import { settingsRu } from "../../panel/src/i18n/texts/settings.ru.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { freePort } from "../support/free-port.ts";
import { startGateway, type Gateway } from "../support/gateway-process.ts";
import { pageFaults } from "../support/page-faults.ts";
import {
  buildPanel,
  openPanelBrowserScene,
  type PanelBrowserScene,
  type PanelTab,
  type PanelView,
} from "../support/panel-browser.ts";
import { PANEL_CATALOGUE } from "../support/panel-catalogue.ts";
import { PASSWORD, signUpAtPanel, type PanelGateway } from "../support/panel-session.ts";

let database: TestDatabase;
let gateway: Gateway;
let scene: PanelBrowserScene;
/** By its name: a number has no passkeys. */
let named: PanelGateway;
before(async () => {
  buildPanel();
  database = await testDatabase();
  const port = await freePort();
  const url = `http://localhost:${port}`;
  gateway = await startGateway({
    databaseUrl: database.url,
    catalogue: PANEL_CATALOGUE,
    env: { NOBODY_KEY: "none", PORT: String(port), BASE_URL: url },
  });
  named = { url, env: gateway.env };
  scene = await openPanelBrowserScene(named);
});
after(async () => {
  await scene.close();
  await gateway.stop();
  await database.drop();
});

interface Authenticator {
  /** Whether its person touches it whenever it asks. */
  touched(touches: boolean): Promise<void>;
  credentials(): Promise<number>;
  /** Over what takes it away, such as the load of another page: it is there again afterwards, as it was. */
  across(load: () => Promise<void>): Promise<void>;
}

/** To be called when a page is there. */
async function plugIn({ page }: PanelTab): Promise<Authenticator> {
  const session: CDPSession = await page.context().newCDPSession(page);
  let touches = true;
  let authenticatorId = "";
  const plug = async (): Promise<void> => {
    await session.send("WebAuthn.enable", { enableUI: false });
    const added = await session.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: touches,
      },
    });
    ({ authenticatorId } = added);
  };
  const credentials = async () =>
    (await session.send("WebAuthn.getCredentials", { authenticatorId })).credentials;
  await plug();
  return {
    async touched(enabled) {
      touches = enabled;
      await session.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled });
    },
    credentials: async () => (await credentials()).length,
    async across(load) {
      const kept = await credentials();
      await session.send("WebAuthn.disable");
      await load();
      await plug();
      for (const credential of kept)
        await session.send("WebAuthn.addCredential", { authenticatorId, credential });
    },
  };
}

const VIEWS: readonly (readonly [
  PanelView,
  typeof authRu,
  typeof settingsRu,
  typeof passkeysRu,
  typeof accountLogRu,
])[] = [
  [{ language: "ru", theme: "light", width: 1280 }, authRu, settingsRu, passkeysRu, accountLogRu],
  [{ language: "en", theme: "dark", width: 390 }, authEn, settingsEn, passkeysEn, accountLogEn],
];

for (const [view, auth, settings, t, log] of VIEWS) {
  const name = `${view.language}-${view.theme}-${view.width}`;

  async function leave(page: Page): Promise<void> {
    await page.evaluate(
      `fetch("/panel/api/log-out", { method: "POST", headers: { "content-type": "application/json" }, body: "{}" })`,
    );
    await page.goto(`${named.url}/panel/log-in`);
    await page.getByRole("button", { name: auth.logInPasskey }).waitFor();
  }
  const isIn = (page: Page): Promise<void> =>
    page.waitForURL((url) => /^\/panel\/?$/.test(url.pathname));

  test(`${name}: a passkey is added, logs in by the button, and is removed`, async () => {
    const person = await signUpAtPanel(named);
    const tab = await scene.openTab(person, view);
    const { page } = tab;
    page.setDefaultTimeout(9000);
    await tab.open("/settings/security");
    const authenticator = await plugIn(tab);
    await page.getByText(t.none).waitFor();
    await page.getByRole("button", { name: t.add }).click();
    const form = page.getByRole("dialog", { name: t.add });
    await form.getByLabel(t.name, { exact: true }).fill("laptop");
    await form.getByLabel(t.password, { exact: true }).fill("not the password");
    await form.getByRole("button", { name: t.goOn }).click();
    await form.getByRole("alert").first().waitFor();
    assert.equal(await authenticator.credentials(), 0, "nothing is made before the password");
    await form.getByLabel(t.password, { exact: true }).fill(PASSWORD);
    await tab.screenshot(`passkeys-add-${name}`);
    await form.getByRole("button", { name: t.goOn }).click();
    const codes = page.getByRole("dialog", { name: settings.recoveryTitle });
    await codes.getByRole("button", { name: settings.recoveryKept }).click();
    await page.getByRole("button", { name: t.remove, exact: true }).waitFor();
    await page.getByText(t.never).first().waitFor();
    assert.equal(await authenticator.credentials(), 1);
    await authenticator.across(async () => assert.deepEqual(await pageFaults(page), []));
    await tab.screenshot(`passkeys-card-${name}`);
    // An authenticator has one of the member's.
    await page.getByRole("button", { name: t.add }).click();
    await form.getByLabel(t.password, { exact: true }).fill(PASSWORD);
    await form.getByRole("button", { name: t.goOn }).click();
    assert.ok([t.known, t.left].includes(await form.getByRole("alert").innerText()));
    assert.equal(await authenticator.credentials(), 1);

    await authenticator.touched(false);
    await authenticator.across(() => leave(page));
    assert.match(
      (await page.getByLabel(auth.email).getAttribute("autocomplete")) ?? "",
      /\bwebauthn$/,
    );
    await authenticator.across(async () => assert.deepEqual(await pageFaults(page), []));
    await tab.screenshot(`passkeys-log-in-${name}`);
    // What is offered in the field waits for a person; the press asks anew.
    await authenticator.touched(true);
    await page.getByRole("button", { name: auth.logInPasskey }).click();
    await isIn(page);

    await authenticator.across(() => tab.open("/settings/log"));
    const entry = page.locator(":not(option)", { hasText: log.actions["passkey.log_in"] });
    await entry.last().waitFor();

    await authenticator.across(() => tab.open("/settings/security"));
    await page.getByRole("button", { name: t.remove, exact: true }).click();
    const sure = page.getByRole("alertdialog");
    await sure.getByRole("button", { name: t.remove, exact: true }).click();
    await page.getByText(t.none).waitFor();
    assert.deepEqual(tab.complaints, []);
    await tab.close();
  });

  test(`${name}: where the account insists, the password is followed by the passkey`, async () => {
    const person = await signUpAtPanel(named);
    const tab = await scene.openTab(person, view);
    const { page } = tab;
    page.setDefaultTimeout(9000);
    await tab.open("/settings/security");
    const authenticator = await plugIn(tab);
    await page.getByRole("button", { name: t.add }).click();
    await page.getByRole("dialog").getByLabel(t.password, { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: t.goOn }).click();
    await page.getByRole("button", { name: settings.recoveryKept }).click();
    assert.equal((await person.ask("POST", "second-factor", { required: true })).status, 200);
    await authenticator.touched(false);
    await authenticator.across(() => leave(page));
    await page.getByLabel(auth.email).fill(person.email);
    await page.getByLabel(auth.password, { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: auth.logIn, exact: true }).click();
    await page.getByText(auth.passkeyLead).waitFor();
    await authenticator.across(async () => assert.deepEqual(await pageFaults(page), []));
    await tab.screenshot(`passkeys-factor-${name}`);
    await authenticator.touched(true);
    await page.getByRole("button", { name: auth.logInPasskey }).click();
    await isIn(page);
    await tab.open("/settings/security");
    await page.getByText(t.factorNote).waitFor();
    await page.getByRole("button", { name: t.remove, exact: true }).click();
    const sure = page.getByRole("alertdialog");
    await sure.getByRole("button", { name: t.remove, exact: true }).click();
    await sure.getByRole("alert").waitFor();
    assert.deepEqual(tab.complaints, []);
    await tab.close();
  });
}

test("what the browser offers in the field of the e-mail logs in without a press", async () => {
  const person = await signUpAtPanel(named);
  const tab = await scene.openTab(person, { language: "en" });
  const { page } = tab;
  page.setDefaultTimeout(9000);
  await tab.open("/settings/security");
  const authenticator = await plugIn(tab);
  await page.getByRole("button", { name: passkeysEn.add }).click();
  const form = page.getByRole("dialog", { name: passkeysEn.add });
  await form.getByLabel(passkeysEn.password, { exact: true }).fill(PASSWORD);
  await form.getByRole("button", { name: passkeysEn.goOn }).click();
  await page.getByRole("button", { name: settingsEn.recoveryKept }).click();
  await person.ask("POST", "log-out");
  await authenticator.across(async () => {
    await page.goto(`${named.url}/panel/forgot`);
    await page.getByRole("button", { name: authEn.sendLink }).waitFor();
  });
  await page.getByRole("link", { name: authEn.toLogIn }).click();
  await page.waitForURL((url) => /^\/panel\/?$/.test(url.pathname));
  await tab.close();
});

test("by its number the panel speaks of no passkeys", async () => {
  const person = await signUpAtPanel(gateway);
  const byNumber = await openPanelBrowserScene(gateway);
  const tab = await byNumber.openTab(person, { language: "en" });
  await tab.open("/settings/security");
  await tab.page.getByText(settingsEn.totpTitle).first().waitFor();
  assert.equal(await tab.page.getByText(passkeysEn.title, { exact: true }).count(), 0);
  await tab.close();
  const visitor = await byNumber.openTab(null, { language: "en" });
  await visitor.open("/log-in");
  assert.equal(await visitor.page.getByRole("button", { name: authEn.logInPasskey }).count(), 0);
  await visitor.close();
  await byNumber.close();
});
