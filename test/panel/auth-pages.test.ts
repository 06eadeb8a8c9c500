/**
 * Protects: people get in by the pages themselves: sign-up to the first page, second factor, new
 * password, invitation; under the panel's own policy.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Secret, TOTP } from "otpauth";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { startGateway, type Gateway } from "../support/gateway-process.ts";
import { pageFaults } from "../support/page-faults.ts";
import {
  buildPanel,
  openPanelBrowserScene,
  type PanelBrowserScene,
  type PanelTab,
} from "../support/panel-browser.ts";
import { startTollgate } from "../support/start-tollgate.ts";
import { mailedToken, mailsTo, newEmail, PASSWORD } from "../support/panel-session.ts";

const CATALOGUE = `
upstreams: { up: { protocol: openai, baseUrl: "https://up.example", apiKeyEnv: KEY } }
models:
  small: { type: chat, endpoints: [chat.completions], contextTokens: 9000, maxOutputTokens: 900, price: { input: "1", output: "2" }, routes: [ { upstream: up, model: m } ] }
`;
const NEW_PASSWORD = "another long and new phrase";

let database: TestDatabase;
let gateway: Gateway;
let scene: PanelBrowserScene;
before(async () => {
  buildPanel();
  database = await testDatabase();
  gateway = await startGateway({
    databaseUrl: database.url,
    catalogue: CATALOGUE,
    env: { KEY: "k" },
  });
  scene = await openPanelBrowserScene(gateway);
});
after(async () => {
  await scene.close();
  await gateway.stop();
  await database.drop();
});

async function logIn({ page }: PanelTab, email: string, password: string): Promise<void> {
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Log in" }).click();
}

async function atOverview({ page }: PanelTab): Promise<void> {
  await page
    .getByRole("navigation", { name: "Sections" })
    .getByRole("link", { name: "Overview" })
    .waitFor();
}

test("a visitor without a session is refused nothing, and the browser's console has nothing to tell", async () => {
  const tab = await scene.openTab(null, { language: "en" });
  const { page } = tab;
  const reported: string[] = [];
  page.on("console", (message) => reported.push(message.text()));
  await tab.open("/");
  await page.getByLabel("E-mail").waitFor();
  await page.waitForLoadState("networkidle");
  assert.deepEqual(reported, []);
  await tab.close();
});

test("from the sign-up over the mail to the first page, then a new password by mail; the link's token stays in no address", async () => {
  const email = newEmail();
  const tab = await scene.openTab(null, { language: "en" });
  const { page } = tab;
  await tab.open("/keys");
  assert.match(page.url(), /\/panel\/log-in\?next=%2Fkeys/, "a page behind the log-in leads there");
  await page.getByText("Log in to come back to this page.").waitFor();
  await page.getByRole("link", { name: "Sign up" }).click();
  await page.getByLabel("Name of the account").fill("A company");
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password", { exact: true }).fill("short");
  await page.getByRole("button", { name: "Create the account" }).click();
  assert.equal(
    await page.getByRole("heading", { level: 1 }).innerText(),
    "Sign up",
    "the browser itself refuses a short password",
  );
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Create the account" }).click();
  await page.getByRole("heading", { name: "Check your mail" }).waitFor();
  await page.getByRole("button", { name: "Send the e-mail again" }).click();
  await page.getByText("an e-mail is on its way").waitFor();

  // As in another browser: the one that signed up would be logged in.
  await page.context().clearCookies();
  await page.goto(`${gateway.url}/panel/verify#token=${await mailedToken(gateway, email, 2)}`);
  await page.getByRole("button", { name: "Confirm the e-mail" }).click();
  await page.getByText("The e-mail is confirmed").waitFor();
  assert.equal(new URL(page.url()).hash, "");
  await page.getByRole("link", { name: "To the log-in" }).click();
  assert.equal(
    await page.getByLabel("E-mail").inputValue(),
    email,
    "whose link it was need not be typed",
  );
  assert.ok(!page.url().includes("person-"), "the address of the page does not tell it");
  await logIn(tab, email, "not the password");
  await page.getByRole("alert").getByText("The e-mail or the password is not right").waitFor();
  await logIn(tab, email, PASSWORD);
  await atOverview(tab);

  await page.getByRole("button", { name: "Account" }).click();
  await page.getByRole("menuitem", { name: "Log out" }).click();
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await page.getByLabel("E-mail").fill(email);
  await page.getByRole("button", { name: "Send the link" }).click();
  await page.getByText("an e-mail with the link is on its way").waitFor();
  await page.getByRole("button", { name: "Send the e-mail again" }).click();
  await page.getByText("a new e-mail is on its way").waitFor();
  await page.goto(`${gateway.url}/panel/reset#token=${await mailedToken(gateway, email, 4)}`);
  await page.getByLabel("New password").fill(NEW_PASSWORD);
  await page.getByRole("button", { name: "Set the password" }).click();
  await page.getByText("The password is changed").waitFor();
  await tab.open("/log-in?next=%2Fsettings%2Fsecurity");
  await logIn(tab, email, NEW_PASSWORD);
  await page.getByRole("heading", { name: "Security", level: 1 }).waitFor();
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});

test("who types the e-mail while the next page is still on its way finds it there", async () => {
  const email = newEmail();
  const tab = await scene.openTab(null, { language: "en" });
  const { page } = tab;
  const { promise: fetched, resolve: fetchNow } = Promise.withResolvers<void>();
  await page.route(/\/assets\/forgot-page-/, (route) => fetched.then(() => route.continue()));
  await tab.open("/log-in");
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await page.getByLabel("E-mail").fill(email);
  const comes = page.getByRole("progressbar", { name: "The page is being loaded" });
  await comes.waitFor();
  assert.deepEqual(await pageFaults(page), []);
  fetchNow();
  await page.getByRole("heading", { name: "A new password" }).waitFor();
  assert.equal(await page.getByLabel("E-mail").inputValue(), email);
  await comes.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "To the log-in" }).click();
  await page.getByRole("heading", { name: "Log in" }).waitFor();
  assert.equal(await page.getByLabel("E-mail").inputValue(), email);
  await page.reload();
  assert.equal(await page.getByLabel("E-mail").inputValue(), "", "it is kept in memory only");
  await tab.close();
});

test("what a page is there to ask for is typed at once: of a log-in the e-mail, or the password where the e-mail is known", async () => {
  const tab = await scene.openTab(null, { language: "en" });
  const { page } = tab;
  const focused = (): Promise<unknown> =>
    page.evaluate("document.activeElement.getAttribute('name')");
  await tab.open("/log-in");
  assert.equal(await focused(), "email");
  await page.keyboard.type("somebody@example.test");
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await page.getByRole("heading", { name: "A new password" }).waitFor();
  await page.getByRole("link", { name: "To the log-in" }).click();
  await page.getByRole("heading", { name: "Log in" }).waitFor();
  assert.equal(await focused(), "password");
  for (const [path, field] of [
    ["/forgot", "email"],
    ["/sign-up", "accountName"],
    ["/reset#token=of-a-mail", "password"],
  ] as const) {
    await tab.open(path);
    assert.equal(await focused(), field, path);
  }
  await tab.close();
});

test("a link to a log-in leads to no page but ours afterwards", async () => {
  const tab = await scene.openMember({ language: "en" });
  for (const next of ["//evil.example/x", "/\\evil.example", "https://evil.example"]) {
    await tab.page.goto(`${gateway.url}/panel/log-in?next=${encodeURIComponent(next)}`);
    await atOverview(tab);
    assert.equal(new URL(tab.page.url()).origin, gateway.url);
  }
  await tab.close();
});

test("the second factor is turned on with recovery codes shown once, asked at the next log-in, and turned off", async () => {
  const tab = await scene.openMember({ language: "en" });
  const { page, person } = tab;
  await tab.open("/settings/security");
  await page.getByRole("button", { name: "Turn on" }).click();
  await page.getByRole("img", { name: "QR code" }).waitFor();
  const secret = (await page.locator(".confirm-totp code").innerText()).replaceAll(" ", "");
  const code = (ahead = 0): string =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({
      timestamp: Date.now() + ahead * 30_000,
    });
  await page.getByLabel("Six digits from the app").fill("000000");
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.getByText("This code is not right").waitFor();
  await page.getByLabel("Six digits from the app").fill(code());
  await page.getByRole("button", { name: "Confirm" }).click();
  const codes = (await page.getByRole("dialog").locator("pre").innerText()).trim().split("\n");
  assert.ok(codes.length >= 8);
  await page.keyboard.press("Escape");
  assert.equal(
    await page.getByRole("dialog").count(),
    1,
    "what is shown once does not go by accident",
  );
  await page.getByRole("button", { name: "I have saved the codes" }).click();
  await page.getByRole("button", { name: "Turn the second factor off" }).waitFor();

  const other = await scene.openTab(null, { language: "en" });
  await other.open("/log-in");
  await logIn(other, person.email, person.password);
  await other.page.getByRole("heading", { name: "Confirmation code" }).waitFor();
  await other.page.getByLabel("Code").fill("no such code");
  await other.page.getByRole("button", { name: "Confirm" }).click();
  await other.page.getByText("This code is not right").waitFor();
  await other.page.getByLabel("Code").fill(codes[0] ?? "");
  await other.page.getByRole("button", { name: "Confirm" }).click();
  await atOverview(other);
  await other.open("/settings/security");
  await other.page.getByRole("cell", { name: "this one" }).waitFor();
  await other.close();

  await page.getByRole("button", { name: "Turn the second factor off" }).click();
  const dialog = page.getByRole("alertdialog");
  await dialog.getByLabel("Current password").fill(person.password);
  await dialog.getByLabel("A code from the app, or a recovery code").fill(codes[1] ?? "");
  await dialog.getByRole("button", { name: "Turn the second factor off" }).click();
  await page.getByRole("button", { name: "Turn on" }).waitFor();
  assert.deepEqual([...tab.complaints, ...other.complaints], []);
  await tab.close();
});

test("the operator of a first start comes in by the one-time password, and sets one of their own before anything else", async () => {
  const folder = mkdtempSync(join(tmpdir(), "op-"));
  const tollgate = await startTollgate(folder, {});
  const own = await openPanelBrowserScene({ url: tollgate.url, env: {} });
  try {
    const [, email = "", password = ""] =
      /log in as (\S+), one-time password ([^\s;)]+)\)/.exec(tollgate.text) ?? [];
    const tab = await own.openTab(null, { language: "en" });
    await tab.open("/log-in");
    await logIn(tab, email, password);
    await tab.page.getByRole("heading", { name: "Set a password of your own" }).waitFor();
    assert.equal(
      await tab.page.getByLabel("One-time password").count(),
      0,
      "what was typed a moment ago is not asked for again",
    );
    await tab.open("/keys");
    await tab.page.getByRole("heading", { name: "Set a password of your own" }).waitFor();
    await tab.page.getByLabel("One-time password").fill(password);
    await tab.page.getByLabel("New password").fill(NEW_PASSWORD);
    await tab.page.getByRole("button", { name: "Set the password" }).click();
    await tab.page.getByRole("button", { name: "Workspace: " }).click();
    await tab.page.getByRole("menuitemradio", { name: "Whole gateway" }).click();
    const sections = tab.page.getByRole("navigation", { name: "Sections" });
    await sections.getByRole("link", { name: "Audit log" }).waitFor();
    assert.deepEqual(tab.complaints, []);
  } finally {
    await own.close();
    await tollgate.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

test("a session that was ended elsewhere asks for the log-in at its next question, over the page that then shows what it could not read", async () => {
  const tab = await scene.openMember({ language: "en" });
  const { page, person } = tab;
  await tab.open("/settings/profile");
  await page.getByRole("navigation", { name: "Sections" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Workspace: " }).count(), 0);
  await person.ask("POST", "log-out");
  await page.getByRole("link", { name: "Members" }).click();
  const over = page.getByRole("dialog", { name: "Log in" });
  await over.getByLabel("Password", { exact: true }).fill(person.password);
  await over.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("cell", { name: `${person.email} you` }).waitFor();
  assert.equal(await over.count(), 0);
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});

test("an owner invites a colleague, who comes in by the mail's link, changes roles, and removes", async () => {
  const tab = await scene.openMember({ language: "en" });
  const { page } = tab;
  const colleague = newEmail();
  await tab.open("/settings/members");
  await page.getByRole("button", { name: "Invite" }).click();
  await page.getByRole("dialog").getByLabel("E-mail").fill(colleague);
  await page.getByRole("dialog").getByLabel("Role").selectOption("manager");
  await page.getByRole("dialog").getByRole("button", { name: "Invite" }).click();
  await page
    .getByRole("region", { name: "Invitations not accepted yet" })
    .getByRole("cell", { name: colleague })
    .waitFor();

  const guest = await scene.openTab(null, { language: "en" });
  await guest.page.goto(
    `${gateway.url}/panel/invite#token=${await mailedToken(gateway, colleague)}`,
  );
  await guest.page.getByText("A new account", { exact: true }).waitFor();
  await guest.page.getByText("Manager (keys, requests, top-ups, alerts)").waitFor();
  await guest.screenshot("invite");
  assert.deepEqual(await pageFaults(guest.page), []);
  await guest.page.getByLabel("New password").fill(PASSWORD);
  await guest.page.getByRole("button", { name: "Accept the invitation" }).click();
  await guest.page.getByRole("link", { name: "To the log-in" }).click();
  assert.equal(await guest.page.getByLabel("E-mail").inputValue(), colleague);
  await logIn(guest, colleague, PASSWORD);
  await atOverview(guest);
  await guest.open("/settings/members");
  assert.equal(await guest.page.getByRole("button", { name: "Invite" }).count(), 0);

  await page.reload();
  await page.getByRole("button", { name: `Change the role: ${colleague}` }).click();
  await page.getByRole("menuitemradio", { name: /^Viewer/ }).click();
  await page.getByText("The role is changed").waitFor();
  await page.getByRole("button", { name: `Change the role: ${colleague}` }).click();
  await page.getByRole("menuitem", { name: "Remove the member" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove the member" }).click();
  await page.getByText("The member is removed").waitFor();
  await guest.page.reload();
  await guest.page.getByRole("heading", { name: "Log in" }).waitFor();
  assert.deepEqual([...tab.complaints, ...guest.complaints], []);
  await guest.close();
  await tab.close();
});

test(
  "the pages have no fault that a checker of accessibility finds, in either theme, wide or on a phone",
  { timeout: 240_000 },
  async () => {
    for (const view of [
      { language: "ru", theme: "light", width: 1280 },
      { language: "ru", theme: "dark", width: 390 },
      { language: "en", theme: "dark", width: 1280 },
      { language: "en", theme: "light", width: 390 },
    ] as const) {
      const name = `${view.language}-${view.theme}-${view.width}`;
      const nobody = await scene.openTab(null, view);
      const member = await scene.openMember(view);
      for (const [tab, paths] of [
        [nobody, ["/log-in", "/sign-up", "/forgot", "/reset#token=x", "/no-such-page"]],
        [member, ["/settings/profile", "/settings/security", "/settings/members", "/no-such-page"]],
      ] as const) {
        for (const path of paths) {
          await tab.open(path);
          await tab.screenshot(`${name}${path.replaceAll(/\W+/g, "-")}`);
          assert.deepEqual(await pageFaults(tab.page), [], `${name} ${path}`);
        }
        assert.deepEqual(tab.complaints, []);
      }
      await nobody.close();
      await member.close();
    }
  },
);

test("a Russian page says in Russian what the browser and the API find wrong, and a double click sends a form once", async () => {
  const email = newEmail();
  const tab = await scene.openTab(null, { language: "ru" });
  const { page } = tab;
  await tab.open("/sign-up");
  const [name, password] = [
    page.getByLabel("Название аккаунта"),
    page.getByLabel("Пароль", { exact: true }),
  ];
  const send = page.getByRole("button", { name: "Создать аккаунт" });
  const reportedByBrowser = (field: typeof name): Promise<string> =>
    field.evaluate(
      (control) => (control as unknown as { readonly validationMessage: string }).validationMessage,
    );
  await send.click();
  assert.equal(await reportedByBrowser(name), "Заполните это поле.");
  await name.fill("Ромашка");
  await page.getByLabel("Почта").fill(email);
  await password.fill("кратко");
  await password.press("Enter");
  assert.equal(await reportedByBrowser(name), "");
  assert.equal(await reportedByBrowser(password), "Нужно не меньше 10 символов.");
  await password.fill("1234567890");
  await send.click();
  await page.getByText("Этот пароль — из самых частых").waitFor();
  await password.fill(PASSWORD);
  await send.dblclick();
  await page.getByRole("heading", { name: "Проверьте почту" }).waitFor();

  const token = await mailedToken(gateway, email);
  await page.context().clearCookies();
  const useLink = async (): Promise<void> => {
    await page.goto("about:blank");
    await page.goto(`${gateway.url}/panel/verify#token=${token}`);
    await page.getByRole("button", { name: "Подтвердить почту" }).click();
  };
  await useLink();
  await page.getByText("Почта подтверждена.").waitFor();
  await useLink();
  await page.getByText("Если почта подтверждена, просто войдите.").waitFor();
  await page.getByRole("link", { name: "Ко входу" }).click();
  assert.equal(
    (await mailsTo(gateway, email)).length,
    1,
    "the second press of a double click sent nothing",
  );
  await tab.close();
});

test("a refusal gives its own reason, and not that another member changed something", async () => {
  const tab = await scene.openMember({ language: "ru" });
  const { page, person } = tab;
  await tab.open("/settings/members");
  await page.getByRole("button", { name: "Пригласить" }).click();
  const invitation = page.getByRole("dialog");
  await invitation.getByLabel("Почта").fill(person.email);
  await invitation.getByRole("button", { name: "Пригласить" }).click();
  await invitation.getByText("Этот человек уже участник вашего аккаунта.").waitFor();
  assert.equal(await invitation.getByText("Кто-то изменил это раньше вас").count(), 0);

  await tab.open("/settings/security");
  await page.getByLabel("Текущий пароль").fill("not my password");
  await page.getByLabel("Новый пароль").fill(NEW_PASSWORD);
  await page.getByRole("button", { name: "Сменить пароль" }).click();
  await page.getByText("Текущий пароль не подходит.").waitFor();
  await tab.close();
});

test("the longest address there may be leaves what is beside it in sight", async () => {
  const { person, page, ...tab } = await scene.openMember({ language: "en" });
  const email = `${"a".repeat(60)}@${`${"b".repeat(60)}.`.repeat(3)}example.ru`;
  assert.equal(email.length, 254);
  assert.equal((await person.ask("POST", "members/invite", { email, role: "viewer" })).status, 202);
  await tab.open("/settings/members");
  const { x = 9_999, width = 0 } =
    (await page.getByRole("button", { name: "Withdraw" }).boundingBox()) ?? {};
  assert.ok(x + width < 1_280, `${x + width}`);
  await tab.close();
});
