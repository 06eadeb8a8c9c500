/**
 * Protects: a second factor is asked once it is on, each of its codes opens once, and no stranger
 * guesses them.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Secret, TOTP } from "otpauth";
import type { Session } from "../../src/contract/panel/sessions.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { startGateway, type Gateway } from "../support/gateway-process.ts";
import { PANEL_CATALOGUE } from "../support/panel-catalogue.ts";
import {
  mailsTo,
  openPanelBrowser,
  PASSWORD,
  signUpAtPanel,
  type BrowserAnswer,
  type PanelBrowser,
  type PanelPerson,
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
const stageOf = (answer: BrowserAnswer): string => answer.json<Session>().member.stage;

/** What an app would show, so many periods from now. */
function shown(secret: string, periods = 0): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({
    timestamp: Date.now() + periods * 30_000,
  });
}

async function withTotp(): Promise<{
  person: PanelPerson;
  secret: string;
  recoveryCodes: string[];
  used: string;
}> {
  const person = await signUpAtPanel(gateway);
  const { secret, uri } = (await person.ask("POST", "totp/begin")).json<{
    secret: string;
    uri: string;
  }>();
  assert.match(secret, /^[A-Z2-7]{32}$/);
  assert.ok(uri.startsWith("otpauth://totp/Tollgate:") && uri.includes(secret));
  const used = shown(secret, -1);
  const confirmed = await person.ask("POST", "totp/confirm", {
    code: `${used.slice(0, 3)} ${used.slice(3)}`,
  });
  assert.equal(confirmed.status, 200, confirmed.text);
  return {
    person,
    secret,
    used,
    recoveryCodes: confirmed.json<{ recoveryCodes: string[] }>().recoveryCodes,
  };
}

async function halfWay(person: PanelPerson): Promise<PanelBrowser> {
  const browser = openPanelBrowser(gateway.url);
  const answer = await browser.ask("POST", "log-in", { email: person.email, password: PASSWORD });
  assert.deepEqual([answer.status, stageOf(answer)], [200, "totp"]);
  return browser;
}

test("a secret that was only shown asks for nothing; a confirmed one is asked, and until then the session may do nothing", async () => {
  const shy = await signUpAtPanel(gateway);
  await shy.ask("POST", "totp/begin");
  assert.equal((await shy.ask("POST", "totp/confirm", { code: "000000" })).status, 401);
  assert.equal(
    stageOf(
      await openPanelBrowser(gateway.url).ask("POST", "log-in", {
        email: shy.email,
        password: PASSWORD,
      }),
    ),
    "full",
  );

  const { person, secret } = await withTotp();
  assert.match((await mailsTo(gateway, person.email, 2)).join(), /second factor is on/);
  const browser = await halfWay(person);
  const before = browser.cookie;
  for (const path of ["sessions", "members"])
    assert.equal(codeOf(await browser.ask("GET", path)), "login_unfinished");
  assert.equal(codeOf(await browser.ask("POST", "totp/begin")), "login_unfinished");
  assert.equal(
    codeOf(
      await browser.ask("POST", "password", { current: PASSWORD, next: "another long password" }),
    ),
    "login_unfinished",
  );
  const done = await browser.ask("POST", "log-in/totp", { code: shown(secret) });
  assert.deepEqual([done.status, stageOf(done)], [200, "full"]);
  assert.notEqual(browser.cookie, before);
  assert.equal((await browser.ask("GET", "sessions")).status, 200);
  const fixed = openPanelBrowser(gateway.url);
  fixed.cookie = before;
  assert.equal(
    (await fixed.ask("GET", "session")).status,
    401,
    "the token of before the code is worth nothing",
  );
  assert.equal(
    codeOf(await browser.ask("POST", "log-in/totp", { code: shown(secret, 1) })),
    "conflict",
  );
  assert.equal(codeOf(await browser.ask("POST", "totp/begin")), "conflict");
});

test("a code is taken once, and none from before it; of two who send one at the same time one gets in", async () => {
  const { person, secret, used } = await withTotp();
  const [one, two] = [await halfWay(person), await halfWay(person)];
  assert.equal(codeOf(await one.ask("POST", "log-in/totp", { code: used })), "wrong_credentials");
  const code = shown(secret);
  const statuses = (
    await Promise.all([one, two].map((browser) => browser.ask("POST", "log-in/totp", { code })))
  ).map(({ status }) => status);
  assert.deepEqual(statuses.toSorted(), [200, 401]);
});

test("ten recovery codes open once each, as they are typed", async () => {
  const { person, recoveryCodes } = await withTotp();
  assert.equal(new Set(recoveryCodes).size, 10);
  const [first = "", second = ""] = recoveryCodes;
  assert.equal(
    (await (await halfWay(person)).ask("POST", "log-in/totp", { code: first })).status,
    200,
  );
  const browser = await halfWay(person);
  assert.equal((await browser.ask("POST", "log-in/totp", { code: first })).status, 401);
  assert.equal(
    (
      await browser.ask("POST", "log-in/totp", {
        code: ` ${second.replaceAll("-", "").toUpperCase()} `,
      })
    ).status,
    200,
  );
});

test("after five wrong codes the log-in begins anew, and further guesses are slowed down", async () => {
  const { person, secret } = await withTotp();
  const browser = await halfWay(person);
  for (let guess = 0; guess < 5; guess++)
    assert.equal(
      codeOf(await browser.ask("POST", "log-in/totp", { code: "abcdef" })),
      "wrong_credentials",
    );
  assert.equal(
    codeOf(await browser.ask("POST", "log-in/totp", { code: shown(secret) })),
    "session_required",
  );
  const again = await halfWay(person);
  for (let guess = 0; guess < 5; guess++)
    await again.ask("POST", "log-in/totp", { code: "abcdef" });
  const slowed = await (await halfWay(person)).ask("POST", "log-in/totp", { code: "abcdef" });
  assert.deepEqual([slowed.status, codeOf(slowed)], [429, "rate_limit_exceeded"]);
});

test("it is turned off by password and code together; the secret is nowhere in the clear", async () => {
  const { person, secret, recoveryCodes } = await withTotp();
  const stored = JSON.stringify(
    await database.db.query(
      `SELECT encode(sealed_secret, 'escape') AS sealed, c.code_hash FROM accounts.totp t JOIN accounts.recovery_codes c USING (member_id)`,
    ),
  );
  for (const word of [secret, ...recoveryCodes])
    assert.ok(!stored.includes(word) && !gateway.output().includes(word));
  const [code = ""] = recoveryCodes;
  assert.equal(
    (await person.ask("POST", "totp/disable", { password: "not the password", code })).status,
    401,
  );
  assert.equal(
    (await person.ask("POST", "totp/disable", { password: PASSWORD, code: "000000" })).status,
    401,
  );
  assert.equal(
    (await person.ask("POST", "totp/disable", { password: PASSWORD, code })).status,
    200,
  );
  assert.equal(
    stageOf(
      await openPanelBrowser(gateway.url).ask("POST", "log-in", {
        email: person.email,
        password: PASSWORD,
      }),
    ),
    "full",
  );
});
