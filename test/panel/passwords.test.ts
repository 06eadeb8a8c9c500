/**
 * Protects: a password's change or reset ends all other sessions at once in every process; no
 * stranger learns whose e-mail is known.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Session } from "../../src/contract/panel/sessions.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { startGateway, type Gateway } from "../support/gateway-process.ts";
import { PANEL_CATALOGUE } from "../support/panel-catalogue.ts";
import {
  mailedToken,
  mailsTo,
  newEmail,
  openPanelBrowser,
  PASSWORD,
  signUpAtPanel,
  type BrowserAnswer,
} from "../support/panel-session.ts";
import { createTollgateCommand } from "../support/tollgate-command.ts";

const NEXT = "quite another password";
const env = { NOBODY_KEY: "none", SESSION_SECRET: "s".repeat(40) };
let database: TestDatabase;
let gateway: Gateway;
let other: Gateway;
before(async () => {
  database = await testDatabase();
  const options = { databaseUrl: database.url, catalogue: PANEL_CATALOGUE, env };
  // Mail is written by the first one alone, so that the tests know where.
  [gateway, other] = await Promise.all([
    startGateway(options),
    startGateway({ ...options, roles: "api" }),
  ]);
});
after(async () => {
  await Promise.all([gateway.stop(), other.stop()]);
  await database.drop();
});

const codeOf = (answer: BrowserAnswer): string =>
  answer.json<{ error: { code: string } }>().error.code;
/** What strangers compare. */
const faceOf = ({ status, text }: BrowserAnswer): unknown[] => [
  status,
  text.replace(/"requestId":"[^"]*"/, ""),
];

test("a changed password ends the other sessions at once, in another process too, and the own one goes on with a new token", async () => {
  const person = await signUpAtPanel(gateway);
  const elsewhere = openPanelBrowser(other.url);
  await elsewhere.ask("POST", "log-in", { email: person.email, password: PASSWORD });
  assert.equal((await elsewhere.ask("GET", "sessions")).json<{ data: unknown[] }>().data.length, 2);
  const before = person.cookie;
  assert.equal(
    codeOf(await person.ask("POST", "password", { current: "not the password", next: NEXT })),
    "wrong_credentials",
  );
  assert.equal(
    (await person.ask("POST", "password", { current: PASSWORD, next: NEXT })).status,
    200,
  );
  assert.equal((await elsewhere.ask("GET", "session")).status, 401);
  assert.equal((await person.ask("GET", "session")).status, 200);
  const fixed = openPanelBrowser(other.url);
  fixed.cookie = before;
  assert.equal((await fixed.ask("GET", "session")).status, 401);
  assert.equal(
    (await elsewhere.ask("POST", "log-in", { email: person.email, password: PASSWORD })).status,
    401,
  );
  assert.equal(
    (await elsewhere.ask("POST", "log-in", { email: person.email, password: NEXT })).status,
    200,
  );
  assert.match((await mailsTo(gateway, person.email, 2)).join(), /password was changed/);
});

test("sessions are listed and ended one by one or all others; no member ends another's", async () => {
  const [person, stranger] = [await signUpAtPanel(gateway), await signUpAtPanel(gateway)];
  const [two, three] = [openPanelBrowser(other.url, "two"), openPanelBrowser(other.url, "three")];
  for (const browser of [two, three])
    await browser.ask("POST", "log-in", { email: person.email, password: PASSWORD });
  interface Listed {
    data: { sessionId: string; current: boolean; userAgent: string; address: string }[];
  }
  const { data } = (await person.ask("GET", "sessions")).json<Listed>();
  assert.deepEqual(
    data.map(({ userAgent, current }) => [userAgent, current]),
    [
      ["three", false],
      ["two", false],
      ["a test's browser", true],
    ],
  );
  const second = data.find(({ userAgent }) => userAgent === "two")?.sessionId ?? "";
  assert.deepEqual(
    faceOf(await stranger.ask("DELETE", `sessions/${second}`)),
    faceOf(await stranger.ask("DELETE", "sessions/00000000-0000-7000-8000-000000000000")),
  );
  assert.equal((await two.ask("GET", "session")).status, 200);
  assert.equal((await person.ask("DELETE", `sessions/${second}`)).status, 200);
  assert.equal((await two.ask("GET", "session")).status, 401);
  assert.equal((await person.ask("DELETE", "sessions")).status, 200);
  assert.equal((await three.ask("GET", "session")).status, 401);
  assert.equal((await person.ask("GET", "session")).status, 200);
  assert.equal(
    (await mailsTo(gateway, person.email, 3)).filter((mail) => mail.includes("new device")).length,
    2,
  );
});

test("a reset by mail sets the password, ends every session, works once, and confirms the e-mail", async () => {
  const person = await signUpAtPanel(gateway);
  const stranger = openPanelBrowser(other.url);
  assert.equal(
    (await stranger.ask("POST", "password/forgot", { email: person.email })).status,
    202,
  );
  const token = await mailedToken(gateway, person.email, 2);
  assert.equal(
    codeOf(await stranger.ask("POST", "password/reset", { token, password: "qwertyuiop1" })),
    "invalid_request",
  );
  assert.equal(
    (await stranger.ask("POST", "password/reset", { token, password: NEXT })).status,
    200,
  );
  assert.equal((await person.ask("GET", "session")).status, 401);
  assert.equal(
    codeOf(await stranger.ask("POST", "password/reset", { token, password: NEXT })),
    "gone",
  );
  assert.equal(
    (await stranger.ask("POST", "log-in", { email: person.email, password: NEXT })).status,
    200,
  );

  const email = newEmail();
  await stranger.ask("POST", "sign-up", {
    email,
    password: PASSWORD,
    accountName: "x",
    language: "en",
  });
  await mailsTo(gateway, email, 1);
  await stranger.ask("POST", "password/forgot", { email });
  await stranger.ask("POST", "password/reset", {
    token: await mailedToken(gateway, email, 2),
    password: NEXT,
  });
  assert.equal((await stranger.ask("POST", "log-in", { email, password: NEXT })).status, 200);
});

test("a newer link voids the one of before, for a password as for an e-mail, and an invitation likewise; other purposes stay", async () => {
  const [person, browser] = [await signUpAtPanel(gateway), openPanelBrowser(gateway.url)];
  await browser.ask("POST", "password/forgot", { email: person.email });
  const older = await mailedToken(gateway, person.email, 2);
  await openPanelBrowser(other.url).ask("POST", "password/forgot", { email: person.email });
  const newer = await mailedToken(gateway, person.email, 3);
  assert.equal(
    codeOf(await browser.ask("POST", "password/reset", { token: older, password: NEXT })),
    "gone",
  );

  const email = newEmail();
  await browser.ask("POST", "sign-up", {
    email,
    password: PASSWORD,
    accountName: "x",
    language: "en",
  });
  const first = await mailedToken(gateway, email, 1);
  await browser.ask("POST", "verify-email/resend", { email });
  const second = await mailedToken(gateway, email, 2);
  await browser.ask("POST", "password/forgot", { email });
  assert.equal(codeOf(await browser.ask("POST", "verify-email", { token: first })), "gone");
  assert.equal((await browser.ask("POST", "verify-email", { token: second })).status, 200);

  const invited = newEmail();
  await person.ask("POST", "members/invite", { email: invited, role: "viewer" });
  const earlier = await mailedToken(gateway, invited, 1);
  await person.ask("POST", "members/invite", { email: invited, role: "viewer" });
  const later = await mailedToken(gateway, invited, 2);
  const accept = (token: string): ReturnType<typeof browser.ask> =>
    browser.ask("POST", "members/accept", { token, password: PASSWORD, name: "x" });
  assert.equal(codeOf(await accept(earlier)), "gone");
  assert.equal((await accept(later)).status, 200);
  assert.equal(
    (await browser.ask("POST", "password/reset", { token: newer, password: NEXT })).status,
    200,
  );
});

test("sign-up, forgot, resend and log-in look the same for e-mails that are known and that are not", async () => {
  const { email } = await signUpAtPanel(gateway);
  const nobody = newEmail();
  const ask = async (path: string, body: object): Promise<void> => {
    const browser = openPanelBrowser(gateway.url);
    const [known, unknown] = [
      await browser.ask("POST", path, { email, ...body }),
      await browser.ask("POST", path, { email: nobody, ...body }),
    ];
    assert.deepEqual(faceOf(known), faceOf(unknown), path);
    assert.equal(browser.cookie, null);
  };
  await ask("log-in", { password: "not the password" });
  await ask("password/forgot", {});
  await ask("verify-email/resend", {});
  await ask("sign-up", { password: PASSWORD, accountName: "x", language: "en" });
  const mails = await mailsTo(gateway, email, 4);
  assert.deepEqual(
    mails.map((mail) => /Subject: (.*)/.exec(mail)?.[1]),
    [
      "Confirm your e-mail",
      "A new password",
      "You have an account already",
      "You have an account already",
    ],
  );
  // The password of the second sign-up opens nothing.
  await openPanelBrowser(gateway.url).ask("POST", "sign-up", {
    email,
    password: NEXT,
    accountName: "x",
    language: "en",
  });
  assert.equal(
    (await openPanelBrowser(gateway.url).ask("POST", "log-in", { email, password: NEXT })).status,
    401,
  );
});

test("a visitor asks for five mails to one e-mail, of whichever kind, and is slowed down at the sixth", async () => {
  const email = newEmail();
  const browser = openPanelBrowser(gateway.url);
  const asked = await Promise.all(
    Array.from({ length: 6 }, (_, at) =>
      browser.ask("POST", at % 2 === 0 ? "password/forgot" : "verify-email/resend", { email }),
    ),
  );
  const refused = asked.filter(({ status }) => status !== 202);
  assert.deepEqual(
    refused.map((answer) => [answer.status, codeOf(answer)]),
    [[429, "rate_limit_exceeded"]],
  );
});

test("signing up again before the e-mail is confirmed voids the links of before: none of them confirms another's password", async () => {
  const [email, browser] = [newEmail(), openPanelBrowser(gateway.url)];
  await browser.ask("POST", "sign-up", {
    email,
    password: PASSWORD,
    accountName: "theirs",
    language: "en",
  });
  const first = await mailedToken(gateway, email, 1);
  await browser.ask("POST", "sign-up", {
    email,
    password: NEXT,
    accountName: "mine",
    language: "en",
  });
  const second = await mailedToken(gateway, email, 2);
  assert.equal(codeOf(await browser.ask("POST", "verify-email", { token: first })), "gone");
  assert.equal((await browser.ask("POST", "verify-email", { token: second })).status, 200);
  assert.equal((await browser.ask("POST", "log-in", { email, password: PASSWORD })).status, 401);
  const session = (await browser.ask("POST", "log-in", { email, password: NEXT })).json<Session>();
  assert.equal(session.account.name, "mine");
});

test("an operator made by the command line logs in with the one-time password, and has to choose another one first", async () => {
  const email = newEmail();
  const made = (await createTollgateCommand(gateway.env).json(
    "accounts",
    "create",
    "--name",
    "Ours",
    "--email",
    email,
    "--operator",
  )) as Record<string, string>;
  const current = Object.values(made).find((value) => /^[a-zA-Z0-9]{24}$/.test(value)) ?? "";
  const browser = openPanelBrowser(gateway.url);
  const session = (
    await browser.ask("POST", "log-in", { email, password: current })
  ).json<Session>();
  assert.deepEqual([session.member.stage, session.member.operator], ["password", true]);
  assert.equal(codeOf(await browser.ask("GET", "sessions")), "login_unfinished");
  assert.equal(
    codeOf(await browser.ask("POST", "password", { current, next: current })),
    "invalid_request",
  );
  assert.equal(
    (await browser.ask("POST", "password", { current, next: NEXT })).json<Session>().member.stage,
    "full",
  );
  assert.equal((await browser.ask("GET", "sessions")).status, 200);
  assert.equal(
    (await openPanelBrowser(gateway.url).ask("POST", "log-in", { email, password: current }))
      .status,
    401,
  );
});

test("guesses are slowed down, but never the person's own browser, and never for long", async () => {
  const person = await signUpAtPanel(gateway);
  const right = { email: person.email, password: PASSWORD };
  const stranger = openPanelBrowser(other.url);
  let last = await stranger.ask("POST", "log-in", { email: person.email, password: "guess" });
  for (let guess = 0; guess < 30 && last.status === 401; guess++)
    last = await stranger.ask("POST", "log-in", { ...right, password: `guess ${guess}` });
  const { code, retryAfterSeconds } = last.json<{
    error: { code: string; retryAfterSeconds: number };
  }>().error;
  assert.deepEqual([last.status, code], [429, "rate_limit_exceeded"]);
  assert.ok(retryAfterSeconds >= 1 && retryAfterSeconds <= 30, String(retryAfterSeconds));
  assert.equal(last.headers.get("retry-after"), String(retryAfterSeconds));
  assert.equal(
    (await openPanelBrowser(gateway.url).ask("POST", "log-in", right)).status,
    429,
    "in all processes together",
  );
  // A device of another member is no way around it.
  stranger.device = (await signUpAtPanel(gateway)).device;
  assert.equal((await stranger.ask("POST", "log-in", right)).status, 429);
  assert.equal((await person.ask("POST", "log-in", right)).status, 200);
  // Without a browser of before, the mail is the way in.
  const fresh = openPanelBrowser(gateway.url);
  await fresh.ask("POST", "password/forgot", { email: person.email });
  const token = await mailedToken(gateway, person.email, 2);
  assert.equal((await fresh.ask("POST", "password/reset", { token, password: NEXT })).status, 200);
  assert.equal(
    (await fresh.ask("POST", "log-in", { email: person.email, password: NEXT })).status,
    200,
  );
});

test("a device's own guesses are slowed down too", async () => {
  const person = await signUpAtPanel(gateway);
  let last = await person.ask("POST", "log-in", { email: person.email, password: "guess" });
  for (let guess = 0; guess < 30 && last.status === 401; guess++)
    last = await person.ask("POST", "log-in", { email: person.email, password: `guess ${guess}` });
  assert.equal(codeOf(last), "rate_limit_exceeded");
});
