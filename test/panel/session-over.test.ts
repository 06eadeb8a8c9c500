/**
 * Protects: a member who is filling in a form when the session ends logs in over it, and loses
 * nothing of what was filled in.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Secret, TOTP } from "otpauth";
import type { Page } from "playwright-core";
import { authEn } from "../../panel/src/i18n/texts/auth.en.ts";
import { authRu } from "../../panel/src/i18n/texts/auth.ru.ts";
import { keysEn } from "../../panel/src/i18n/texts/keys.en.ts";
import { keysRu } from "../../panel/src/i18n/texts/keys.ru.ts";
import type { RecoveryCodes, TotpSecret } from "../../src/contract/panel/sessions.ts";
import type { PanelKeyList } from "../../src/contract/panel/panel-key.ts";
import { pageFaults } from "../support/page-faults.ts";
import type { PanelView } from "../support/panel-browser.ts";
import { logInAtPanel, openPanelBrowser } from "../support/panel-session.ts";
import { openAccountPagesScene, type AccountPagesScene } from "./account-pages-scene.ts";

let scene: AccountPagesScene;
before(async () => {
  scene = await openAccountPagesScene();
});
after(() => scene[Symbol.asyncDispose]());

async function logInOver(page: Page, password: string, t: typeof authRu): Promise<void> {
  const over = page.getByRole("dialog", { name: t.logInTitle });
  await over.getByLabel(t.password, { exact: true }).fill(password);
  await over.getByRole("button", { name: t.logIn, exact: true }).click();
}

for (const [view, auth, keys] of [
  [{ language: "ru", theme: "light", width: 1280 }, authRu, keysRu],
  [{ language: "en", theme: "dark", width: 390 }, authEn, keysEn],
] as readonly (readonly [PanelView, typeof authRu, typeof keysRu])[]) {
  const name = `${view.language}-${view.theme}-${view.width}`;

  test(`${name}: a form in a window keeps what is in it, and is sent when its owner has logged in again`, async () => {
    const person = await scene.newMember();
    const tab = await scene.openTab(person, view);
    const { page } = tab;
    await tab.open("/keys");
    await page.getByRole("button", { name: keys.create }).click();
    const form = page.getByRole("dialog", { name: keys.createTitle });
    await form.getByLabel(keys.name, { exact: true }).fill("half done");
    await person.ask("POST", "log-out");
    await form.getByRole("button", { name: keys.create }).click();

    const over = page.getByRole("dialog", { name: auth.logInTitle });
    await over.getByText(auth.logInAgain).waitFor();
    assert.equal(await over.getByLabel(auth.email).inputValue(), person.email);
    assert.equal(
      await over.getByLabel(auth.email).isEditable(),
      false,
      "nobody else goes on with this form",
    );
    const { x = 0, y = 0 } = (await page.locator(".dialog").first().boundingBox()) ?? {};
    const topmost = await page.evaluate(
      `document.elementFromPoint(${x + 5}, ${y + 15})?.className`,
    );
    assert.equal(topmost, "backdrop", "the form lies in the shade of the log-in");
    await tab.screenshot(`session-over-${name}`);
    assert.deepEqual(await pageFaults(page), []);
    await page.keyboard.press("Escape");
    await page.mouse.click(5, 5);
    await logInOver(page, "not the password", auth);
    await over.getByRole("alert").waitFor();
    await logInOver(page, person.password, auth);
    await over.waitFor({ state: "detached" });

    assert.equal(await form.getByLabel(keys.name, { exact: true }).inputValue(), "half done");
    await form.getByRole("button", { name: keys.create }).click();
    await page.getByRole("dialog", { name: keys.secretTitle }).waitFor();
    const again = await logInAtPanel(openPanelBrowser(scene.url), person.email, person.password);
    assert.deepEqual(
      (await again.ask("GET", "keys")).json<PanelKeyList>().data.map((key) => key.name),
      ["half done"],
      "sent once",
    );
    assert.deepEqual(tab.complaints, []);
    await tab.close();
  });
}

test("the second factor is asked here too; what a page could not read meanwhile is read when it is done", async () => {
  const person = await scene.newMember();
  const { secret } = (await person.ask("POST", "totp/begin")).json<TotpSecret>();
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  const { recoveryCodes } = (
    await person.ask("POST", "totp/confirm", { code: totp.generate() })
  ).json<RecoveryCodes>();
  const tab = await scene.openTab(person, { language: "en" });
  const { page } = tab;
  await tab.open("/settings/profile");
  await page.getByLabel("Name").fill("Half a name");
  await person.ask("POST", "log-out");
  await page.getByRole("button", { name: "Save" }).first().click();
  await logInOver(page, person.password, authEn);
  const over = page.getByRole("dialog", { name: authEn.totpTitle });
  await over.waitFor();
  // Back from the app that shows codes: the page asks who it is, and half a session is not a member
  // yet.
  await page.clock.setSystemTime(Date.now() + 120_000);
  const asked = page.waitForResponse(/\/panel\/api\/visitor$/);
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
  assert.match(await (await asked).text(), /"stage":"totp"/);
  await over.getByLabel(authEn.code).fill("no such code");
  await over.getByRole("button", { name: authEn.confirm }).click();
  await over.getByText(authEn.wrongCode).waitFor();
  await over.getByLabel(authEn.code).fill(recoveryCodes[0] ?? "");
  await over.getByRole("button", { name: authEn.confirm }).click();
  await over.waitFor({ state: "detached" });
  assert.equal(await page.getByLabel("Name").inputValue(), "Half a name");
  await tab.close();
});

test("a different person leaves by the log-in page, where nothing of the account is left; so does one who logs out", async () => {
  const person = await scene.newMember();
  const tab = await scene.openTab(person, { language: "en" });
  const { page } = tab;
  await tab.open("/settings/members");
  await person.ask("POST", "log-out");
  await page.getByRole("link", { name: "Keys" }).first().click();
  await page.getByRole("dialog").getByRole("link", { name: authEn.otherAccount }).click();
  await page.getByRole("heading", { name: authEn.logInTitle, level: 1 }).waitFor();
  assert.equal(await page.getByLabel(authEn.email).inputValue(), "");
  assert.equal(await page.getByText(person.email).count(), 0);

  await page.getByLabel(authEn.email).fill(person.email);
  await page.getByLabel(authEn.password, { exact: true }).fill(person.password);
  await page.getByRole("button", { name: authEn.logIn }).click();
  await page.evaluate("window.sameDocument = true");
  await page.getByRole("button", { name: "Account" }).click();
  await page.getByRole("menuitem", { name: "Log out" }).click();
  await page.getByRole("heading", { name: authEn.logInTitle, level: 1 }).waitFor();
  assert.equal(
    await page.evaluate("window.sameDocument"),
    undefined,
    "what was read stays in no memory",
  );
  await tab.close();
});

test("two tabs: a log-out in one is seen in the other at once, and nothing filled in there is sent for who logs in next", async () => {
  const [person, other] = [await scene.newMember(), await scene.newMember()];
  await scene.newKey(other, "of the other one");
  const tab = await scene.openTab(person, { language: "en" });
  const { page } = tab;
  await tab.open("/keys");
  await page.getByRole("button", { name: keysEn.create }).first().click();
  await page
    .getByRole("dialog", { name: keysEn.createTitle })
    .getByLabel(keysEn.name, { exact: true })
    .fill("half done");
  await page.evaluate("window.sameDocument = true");

  const second = await page.context().newPage();
  const over = page.getByRole("dialog", { name: authEn.logInTitle });
  await second.goto(`${scene.url}/panel/`);
  const { promise: answered, resolve: answerNow } = Promise.withResolvers<void>();
  await page.route(/\/panel\/api\/visitor$/, (route) => answered.then(() => route.continue()));
  for (const next of [person, other]) {
    await second.getByRole("button", { name: "Account" }).click();
    await second.getByRole("menuitem", { name: "Log out" }).click();
    await over.getByText(authEn.logInBack).waitFor();
    // Windows too; and the page waits for no answer: the first one has not come yet.
    const inSight = (await page.evaluate("document.body.innerText")) as string;
    for (const theirs of [keysEn.createTitle, keysEn.title, "A new account"])
      assert.ok(!inSight.includes(theirs), inSight);
    await tab.screenshot(`session-left-for-${next === person ? "the-same" : "another"}`);
    assert.deepEqual(await pageFaults(page), []);
    answerNow();
    await second.getByLabel(authEn.email).fill(next.email);
    await second.getByLabel(authEn.password, { exact: true }).fill(next.password);
    await second.getByRole("button", { name: authEn.logIn }).click();
    await over.waitFor({ state: "detached" });
    if (next === person) {
      assert.ok(await page.getByRole("dialog", { name: keysEn.createTitle }).isVisible());
      assert.equal(
        await page.getByLabel(keysEn.name, { exact: true }).inputValue(),
        "half done",
        "who came back goes on",
      );
    }
  }
  await page.getByRole("link", { name: "of the other one" }).waitFor();
  assert.equal(
    await page.evaluate("window.sameDocument"),
    undefined,
    "what was read stays in no memory",
  );
  assert.equal(await page.getByRole("dialog").count(), 0);
  assert.deepEqual((await other.ask("GET", "keys")).json<PanelKeyList>().data.length, 1);
  await tab.close();
});
