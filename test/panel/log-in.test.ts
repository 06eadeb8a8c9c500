/**
 * Protects: signing up and logging in at a real gateway tells strangers nothing, and a session is
 * worth what the database says, in every process.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Session } from "../../src/contract/panel/sessions.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { startGateway, type Gateway } from "../support/gateway-process.ts";
import { PANEL_CATALOGUE } from "../support/panel-catalogue.ts";
import {
  logInAtPanel,
  mailedToken,
  mailsTo,
  newEmail,
  openPanelBrowser,
  PASSWORD,
  signUpAtPanel,
} from "../support/panel-session.ts";

const ENV = { NOBODY_KEY: "none", SESSION_SECRET: "s".repeat(40) };
let database: TestDatabase;
let gateway: Gateway;
before(async () => {
  database = await testDatabase();
  gateway = await startGateway({
    databaseUrl: database.url,
    catalogue: PANEL_CATALOGUE,
    env: ENV,
  });
});
after(async () => {
  await gateway.stop();
  await database.drop();
});

const codeOf = (answer: { json<T>(): T }): string =>
  answer.json<{ error: { code: string } }>().error.code;

test("a person signs up, cannot log in before the e-mail is confirmed, and can afterwards", async () => {
  const browser = openPanelBrowser(gateway.url);
  const email = newEmail();
  const signedUp = await browser.ask("POST", "sign-up", {
    email: ` ${email.toUpperCase()} `,
    password: PASSWORD,
    accountName: "ООО «Ромашка»",
    language: "ru",
  });
  assert.deepEqual([signedUp.status, signedUp.text, browser.cookie], [202, "{}", null]);
  const early = await browser.ask("POST", "log-in", { email, password: PASSWORD });
  assert.deepEqual([early.status, codeOf(early), browser.cookie], [403, "email_unverified", null]);
  const [mail = ""] = await mailsTo(gateway, email);
  assert.match(mail, /Subject: Подтвердите почту/);
  assert.ok(mail.includes(`${gateway.url}/panel/verify#token=`));
  const token = await mailedToken(gateway, email);
  // Opened elsewhere: it logs no browser in.
  const elsewhere = openPanelBrowser(gateway.url);
  assert.deepEqual((await elsewhere.ask("POST", "verify-email", { token })).json(), {
    email,
    trial: null,
    session: null,
  });
  assert.equal(elsewhere.cookie, null);
  const again = await browser.ask("POST", "verify-email", { token });
  assert.deepEqual([again.status, codeOf(again)], [410, "gone"]);
  const person = await logInAtPanel(browser, email, PASSWORD);
  const { member, account } = (await browser.ask("GET", "session")).json<Session>();
  assert.deepEqual(
    [member.email, member.role, member.operator, member.language, member.stage, member.totp],
    [email, "owner", false, "ru", "full", false],
  );
  assert.deepEqual(account, {
    accountId: person.accountId,
    name: "ООО «Ромашка»",
    blocked: false,
    totpRequired: false,
  });
});

test("the cookie is for the host alone and no script; the log and the database have no token", async () => {
  const person = await signUpAtPanel(gateway);
  const answer = await openPanelBrowser(gateway.url).ask("POST", "log-in", {
    email: person.email,
    password: PASSWORD,
  });
  const [session = "", device = ""] = answer.headers.getSetCookie();
  assert.match(
    session,
    /^tollgate_session=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=5184000; HttpOnly; SameSite=Lax$/,
  );
  assert.match(
    device,
    /^tollgate_device=[A-Za-z0-9_.-]{87}; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Lax$/,
  );
  assert.equal(answer.headers.get("cache-control"), "no-store");
  const token = person.cookie?.split("=")[1] ?? "";
  const mailed = await mailedToken(gateway, person.email);
  const rows = JSON.stringify([
    await database.db.query("SELECT * FROM accounts.sessions"),
    await database.db.query("SELECT * FROM accounts.tokens"),
  ]);
  for (const secret of [token, mailed, PASSWORD]) {
    assert.ok(secret.length > 20);
    assert.ok(!rows.includes(secret));
    assert.ok(!gateway.output().includes(secret));
  }
  await person.ask("GET", "session");
  const line = await gateway.logged(
    (entry) => entry["route"] === "/panel/api/session" && entry["memberId"] === person.memberId,
  );
  assert.equal(line["accountId"], person.accountId);
});

test("a session that is logged out is over at once, in another process too", async () => {
  // It sends no mail: the test reads what the first one wrote.
  await using other = await startGateway({
    databaseUrl: database.url,
    catalogue: PANEL_CATALOGUE,
    env: ENV,
    roles: "api",
  });
  const person = await signUpAtPanel(gateway);
  const elsewhere = openPanelBrowser(other.url);
  elsewhere.cookie = person.cookie;
  assert.equal((await elsewhere.ask("GET", "session")).status, 200);
  assert.equal((await person.ask("POST", "log-out")).status, 200);
  assert.equal(person.cookie, null);
  const answer = await elsewhere.ask("GET", "session");
  assert.deepEqual([answer.status, codeOf(answer)], [401, "session_required"]);
});
