/**
 * Protects (hazards §218, §220): no made-up, empty, used, old or borrowed token or cookie opens
 * anything, and no page of another origin acts.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
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

let database: TestDatabase;
let gateway: Gateway;
before(async () => {
  database = await testDatabase();
  gateway = await startGateway({
    databaseUrl: database.url,
    catalogue: PANEL_CATALOGUE,
    env: { NOBODY_KEY: "none" },
  });
});
after(async () => {
  await gateway.stop();
  await database.drop();
});

const codeOf = (answer: BrowserAnswer): string =>
  answer.json<{ error: { code: string } }>().error.code;
const ENDPOINTS = [
  ["verify-email", {}],
  ["members/invitation", {}],
  ["password/reset", { password: "quite another password" }],
  ["members/accept", { password: "quite another password" }],
] as const;

test("null, empty, numbers, lists, objects, nothing and nonsense are no tokens", async () => {
  // There is something that a careless comparison would find.
  const person = await signUpAtPanel(gateway);
  await person.ask("POST", "password/forgot", { email: person.email });
  await person.ask("POST", "members/invite", { email: newEmail(), role: "owner" });
  await person.ask("POST", "sign-up", {
    email: newEmail(),
    password: PASSWORD,
    accountName: "x",
    language: "ru",
  });
  const browser = openPanelBrowser(gateway.url);
  for (const [path, rest] of ENDPOINTS) {
    for (const token of [
      null,
      "",
      0,
      1,
      true,
      [],
      {},
      [""],
      ["a"],
      { $ne: null },
      "x".repeat(201),
      "\u0000",
    ]) {
      const answer = await browser.ask("POST", path, { ...rest, token });
      assert.deepEqual(
        [answer.status, codeOf(answer)],
        [400, "invalid_request"],
        `${path} ${JSON.stringify(token)}`,
      );
    }
    assert.equal((await browser.ask("POST", path, rest)).status, 400);
    for (const body of [null, [], "token", 0])
      assert.equal(
        (await sendRaw(path, JSON.stringify(body))).status,
        400,
        `${path} ${JSON.stringify(body)}`,
      );
    for (const token of ["null", "undefined", "0", "%", "' OR 1=1 --", "a".repeat(43), "ключ"]) {
      const answer = await browser.ask("POST", path, { ...rest, token });
      assert.deepEqual([answer.status, codeOf(answer)], [410, "gone"], `${path} ${token}`);
    }
  }
  assert.equal((await person.ask("GET", "session")).status, 200);
});

test("a token is good for its own purpose only, and not when its time is over", async () => {
  const [owner, email] = [await signUpAtPanel(gateway), newEmail()];
  const browser = openPanelBrowser(gateway.url);
  await browser.ask("POST", "sign-up", {
    email,
    password: PASSWORD,
    accountName: "x",
    language: "ru",
  });
  await browser.ask("POST", "password/forgot", { email: owner.email });
  const invited = newEmail();
  await owner.ask("POST", "members/invite", { email: invited, role: "viewer" });
  const invitation = await mailedToken(gateway, invited);
  const tokens = {
    "verify-email": await mailedToken(gateway, email),
    "password/reset": await mailedToken(gateway, owner.email, 2),
    "members/invitation": invitation,
    "members/accept": invitation,
  };
  const session = owner.cookie?.split("=")[1] ?? "";
  for (const [path, rest] of ENDPOINTS) {
    const others = Object.values(tokens).filter((token) => token !== tokens[path]);
    for (const token of [...others, session])
      assert.equal(codeOf(await browser.ask("POST", path, { ...rest, token })), "gone", path);
  }
  for (const token of Object.values(tokens)) {
    browser.cookie = `tollgate_session=${token}`;
    assert.equal((await browser.ask("GET", "session")).status, 401);
  }
  for (const table of ["tokens", "invitations"])
    await database.db.query(
      `UPDATE accounts.${table} SET expires_at = clock_timestamp() - interval '1 second'`,
    );
  for (const [path, rest] of ENDPOINTS)
    assert.equal(
      codeOf(await browser.ask("POST", path, { ...rest, token: tokens[path] })),
      "gone",
      path,
    );
});

test("a session ends when it is not used, and in any case after its longest time", async () => {
  for (const column of ["expires_at", "ends_at"]) {
    const person = await signUpAtPanel(gateway);
    await database.db.query(
      `UPDATE accounts.sessions SET ${column} = clock_timestamp() - interval '1 second' WHERE member_id = $1`,
      [person.memberId],
    );
    assert.equal(codeOf(await person.ask("GET", "session")), "session_required", column);
  }
  const person = await signUpAtPanel(gateway);
  const left = async (): Promise<string> => {
    const [row] = await database.db.query<{ days: string }>(
      "SELECT round(extract(epoch FROM expires_at - clock_timestamp()) / 86400)::text AS days FROM accounts.sessions WHERE member_id = $1",
      [person.memberId],
    );
    return row?.days ?? "";
  };
  await database.db.query(
    "UPDATE accounts.sessions SET expires_at = clock_timestamp() + interval '1 day', seen_at = clock_timestamp() - interval '2 minutes' WHERE member_id = $1",
    [person.memberId],
  );
  assert.equal((await person.ask("GET", "session")).status, 200);
  assert.equal(await left(), "14");
  await database.db.query(
    "UPDATE accounts.sessions SET ends_at = clock_timestamp() + interval '3 days', seen_at = clock_timestamp() - interval '2 minutes' WHERE member_id = $1",
    [person.memberId],
  );
  await person.ask("GET", "session");
  assert.equal(await left(), "3");
});

test("no cookie but one of the right name and form is a session; a session that one brings along is not the one that one gets", async () => {
  const [victim, thief] = [await signUpAtPanel(gateway), await signUpAtPanel(gateway)];
  const good = victim.cookie ?? "";
  const token = good.split("=")[1] ?? "";
  const browser = openPanelBrowser(gateway.url);
  for (const cookie of [
    "",
    "tollgate_session",
    "tollgate_session=",
    "tollgate_session=null",
    "tollgate_session=undefined",
    `tollgate_session=${token}x`,
    `tollgate_session="${token}"`,
    `Tollgate_Session=${token}`,
    `__Host-tollgate=${token}`,
    `session=${token}`,
    `xtollgate_session=${token}`,
    `${good}; ${thief.cookie}`,
    `${thief.cookie}; ${good}`,
  ]) {
    browser.cookie = cookie;
    assert.equal(codeOf(await browser.ask("GET", "session")), "session_required", cookie);
  }
  for (const cookie of [`other=1; ${good}; more=2`, `${good};${good}`]) {
    browser.cookie = cookie;
    assert.equal((await browser.ask("GET", "session")).status, 200, cookie);
  }
  // Fixation: the victim's browser was given the thief's session.
  browser.cookie = thief.cookie;
  await browser.ask("POST", "log-in", { email: victim.email, password: PASSWORD });
  assert.notEqual(browser.cookie, thief.cookie);
  assert.equal(
    (await thief.ask("GET", "session")).status,
    401,
    "the one that was brought along is over",
  );
});

test("pages of other origins start nothing, end nothing and log no member in", async () => {
  const person = await signUpAtPanel(gateway);
  const browser = openPanelBrowser(gateway.url);
  for (const headers of [
    { origin: "https://evil.example" },
    { origin: "null" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
  ] as Record<string, string>[]) {
    assert.equal(codeOf(await person.ask("POST", "log-out", {}, headers)), "origin_refused");
    assert.equal(
      codeOf(await person.ask("DELETE", "sessions", undefined, headers)),
      "origin_refused",
    );
    for (const [path, body] of [
      ["log-in", { email: person.email, password: PASSWORD }],
      ["sign-up", { email: newEmail(), password: PASSWORD, accountName: "x", language: "ru" }],
      ["password/forgot", { email: person.email }],
      ...ENDPOINTS.map(([path, rest]) => [path, { ...rest, token: "a" }] as const),
    ] as const) {
      assert.equal(codeOf(await browser.ask("POST", path, body, headers)), "origin_refused", path);
    }
  }
  assert.equal(
    (
      await browser.ask(
        "POST",
        "log-in",
        { email: person.email, password: PASSWORD },
        { "content-type": "text/plain" },
      )
    ).status,
    415,
  );
  assert.equal(
    (await fetch(`${gateway.url}/panel/api/log-out`, { headers: { cookie: person.cookie ?? "" } }))
      .status,
    405,
  );
  assert.equal((await person.ask("GET", "session")).status, 200);
  assert.equal((await mailsTo(gateway, person.email)).length, 1);
});

async function sendRaw(path: string, body: string): Promise<Response> {
  return fetch(`${gateway.url}/panel/api/${path}`, {
    method: "POST",
    headers: { origin: gateway.url, "content-type": "application/json" },
    body,
  });
}
