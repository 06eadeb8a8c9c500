/**
 * Protects: a passkey opens the panel for its member alone, once for each signature, at this very
 * place, whichever process is asked; and what seems to be a copy of one opens nothing and is reported.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { AccountLog } from "../../src/contract/panel/account-log.ts";
import type { Session } from "../../src/contract/panel/sessions.ts";
import { mailsTo, PASSWORD, signUpAtPanel, type PanelBrowser } from "../support/panel-session.ts";
import { createSoftwareAuthenticator, type Lies } from "../support/software-authenticator.ts";
import {
  addPasskey,
  begin,
  beginLogIn,
  logInBy,
  newBrowser,
  openPasskeysScene,
  ORIGIN,
  passkeysOf,
  refusalOf,
  sendPasskey,
  type PasskeysScene,
} from "./passkeys-scene.ts";

let scene: PasskeysScene;
before(async () => {
  scene = await openPasskeysScene();
});
after(() => scene[Symbol.asyncDispose]());

const TOO_LATE = "409 conflict passkey_too_late";
const NOT_GOOD = "401 wrong_credentials passkey_unknown";

async function assertOut(browser: PanelBrowser): Promise<void> {
  assert.equal((await browser.ask("GET", "session")).status, 401);
}

test("a passkey is added by password and authenticator, logs in as both factors, and the log and the mail have it", async () => {
  const [gateway] = scene.gateways;
  const person = await signUpAtPanel(gateway);
  const wrong = await person.ask("POST", "passkeys/begin", { password: "not the password" });
  assert.equal(refusalOf(wrong), "401 wrong_credentials password_wrong");
  const { passkey, authenticator, recoveryCodes } = await addPasskey(person);
  assert.equal(recoveryCodes?.length, 10, "with the first factor come codes");
  assert.deepEqual(await passkeysOf(person), [passkey]);
  assert.equal(passkey.lastUsedAt, null);
  assert.equal((await addPasskey(person)).recoveryCodes, null);

  const browser = newBrowser(gateway);
  await browser.ask("POST", "log-in", { email: person.email, password: PASSWORD });
  const before = browser.cookie;
  const answer = await logInBy(authenticator, browser);
  assert.equal(answer.status, 200, answer.text);
  const { member } = answer.json<Session>();
  assert.deepEqual([member.memberId, member.stage, member.passkeys], [person.memberId, "full", 2]);
  assert.notEqual(browser.cookie, before);
  assert.equal(browser.passkey, null, "what bound the challenge has gone");
  assert.notEqual(browser.device, null);
  const old = newBrowser(gateway);
  old.cookie = before;
  await assertOut(old);
  const [first] = await passkeysOf(browser);
  assert.notEqual(first?.lastUsedAt ?? null, null);

  assert.equal((await browser.ask("DELETE", `passkeys/${passkey.passkeyId}`)).status, 200);
  assert.equal(refusalOf(await logInBy(authenticator, newBrowser(gateway))), NOT_GOOD);
  const { data } = (await person.ask("GET", "log")).json<AccountLog>();
  assert.deepEqual(
    data.map(({ action, subject }) => `${action} ${subject ?? ""}`).toReversed(),
    ["add", "add", "log_in", "remove"].map((act) => `passkey.${act} my laptop`),
  );
  const mails = (await mailsTo(gateway, person.email, 4)).join();
  assert.match(mails, /A passkey was added/);
  assert.match(mails, /A passkey was removed/);
});

test("a signature opens once, in the browser that asked for it, and so does what makes one", async () => {
  const [gateway] = scene.gateways;
  const person = await signUpAtPanel(gateway);
  const { authenticator } = await addPasskey(person, { counts: false });
  const browser = newBrowser(gateway);
  const request = await beginLogIn(browser);
  const credential = authenticator.sign(request);
  const thief = newBrowser(gateway);
  assert.equal(refusalOf(await thief.ask("POST", "log-in/passkey", { credential })), TOO_LATE);
  await beginLogIn(thief);
  assert.equal(refusalOf(await thief.ask("POST", "log-in/passkey", { credential })), TOO_LATE);
  const kept = browser.passkey;
  assert.equal((await browser.ask("POST", "log-in/passkey", { credential })).status, 200);
  browser.passkey = kept;
  assert.equal(refusalOf(await browser.ask("POST", "log-in/passkey", { credential })), TOO_LATE);
  // Another spelling of the same bytes, and one that we never made.
  const spelled = authenticator.sign(request, { challenge: `${request.challenge}=` });
  const invented = authenticator.sign(request, { challenge: "A".repeat(72) });
  for (const sent of [spelled, invented])
    assert.equal(
      refusalOf(await browser.ask("POST", "log-in/passkey", { credential: sent })),
      TOO_LATE,
    );

  const created = createSoftwareAuthenticator(ORIGIN).create(await begin(person));
  const other = await signUpAtPanel(gateway);
  const sent = { name: "mine", credential: created };
  assert.equal(refusalOf(await other.ask("POST", "passkeys", sent)), TOO_LATE, "of this session");
  const fromLogIn = createSoftwareAuthenticator(ORIGIN).create({
    ...(await begin(person)),
    challenge: request.challenge,
  });
  const misused = { name: "mine", credential: fromLogIn };
  assert.equal(refusalOf(await person.ask("POST", "passkeys", misused)), TOO_LATE);
  assert.equal((await person.ask("POST", "passkeys", sent)).status, 201);
  assert.equal(refusalOf(await person.ask("POST", "passkeys", sent)), TOO_LATE);
  assert.equal((await passkeysOf(other)).length, 0);
});

test("two tabs of a browser begin beside each other, and both can go on", async () => {
  const [gateway] = scene.gateways;
  const { authenticator } = await addPasskey(await signUpAtPanel(gateway));
  const browser = newBrowser(gateway);
  const [one, two] = [await beginLogIn(browser), await beginLogIn(browser)];
  const kept = browser.passkey;
  for (const request of [one, two]) {
    browser.passkey = kept;
    const credential = authenticator.sign(request);
    assert.equal((await browser.ask("POST", "log-in/passkey", { credential })).status, 200);
  }
});

test("what is signed elsewhere, for elsewhere, without its person or by another key opens nothing", async () => {
  const [gateway] = scene.gateways;
  const { authenticator } = await addPasskey(await signUpAtPanel(gateway));
  const lies: readonly Lies[] = [
    { origin: "https://panel.localhost" },
    { origin: "http://panel.localhost.evil.example" },
    { origin: gateway.url },
    { rpId: "localhost" },
    { rpId: "evil.example" },
    { type: "webauthn.create" },
    { verified: false },
    { present: false },
    { signature: Buffer.alloc(70) },
    { userHandle: Buffer.from("another").toString("base64url") },
  ];
  for (const lie of lies) {
    const browser = newBrowser(gateway);
    assert.equal(
      refusalOf(await logInBy(authenticator, browser, lie)),
      NOT_GOOD,
      JSON.stringify(lie),
    );
    await assertOut(browser);
    // Who is wrong too often waits, which is not what this is about.
    await scene.database.db.query("DELETE FROM accounts.attempts");
  }
  assert.equal((await logInBy(authenticator, newBrowser(gateway))).status, 200);

  const person = await signUpAtPanel(gateway);
  for (const lie of [...lies.slice(0, 5), { type: "webauthn.get" }, { verified: false }]) {
    const sent = await sendPasskey(person, createSoftwareAuthenticator(ORIGIN), lie);
    assert.equal(refusalOf(sent), "400 invalid_request passkey_wrong", JSON.stringify(lie));
  }
  // Its certificates would name addresses to fetch.
  const attested = await sendPasskey(person, createSoftwareAuthenticator(ORIGIN), {
    attested: true,
  });
  assert.equal(refusalOf(attested), "400 invalid_request passkey_wrong");
  assert.deepEqual(await passkeysOf(person), []);
});

test("another member's credential is neither added nor removed nor good for oneself", async () => {
  const [gateway] = scene.gateways;
  const [owner, other] = [await signUpAtPanel(gateway), await signUpAtPanel(gateway)];
  const credential = Buffer.alloc(32, 7);
  const { authenticator, passkey } = await addPasskey(owner, { credential });
  const same = createSoftwareAuthenticator(ORIGIN, { credential });
  assert.equal(refusalOf(await sendPasskey(other, same)), "409 conflict passkey_known");
  assert.equal(refusalOf(await sendPasskey(owner, same)), "409 conflict passkey_known");
  const theirs = Buffer.from(other.memberId).toString("base64url");
  const claimed = await logInBy(authenticator, newBrowser(gateway), { userHandle: theirs });
  assert.equal(refusalOf(claimed), NOT_GOOD);
  // The same credential with another key signs for neither.
  assert.equal(refusalOf(await logInBy(same, newBrowser(gateway))), NOT_GOOD);
  assert.equal((await other.ask("DELETE", `passkeys/${passkey.passkeyId}`)).status, 404);
  assert.deepEqual(
    (await passkeysOf(owner)).map(({ passkeyId }) => passkeyId),
    [passkey.passkeyId],
  );
});

test("a count that goes backwards opens nothing, and member and operators hear of it; a claim without the key is heard by none", async () => {
  const [gateway] = scene.gateways;
  const person = await signUpAtPanel(gateway);
  const { authenticator } = await addPasskey(person);
  assert.equal((await logInBy(authenticator, newBrowser(gateway), { counter: 9 })).status, 200);
  const reports = async (): Promise<AccountLog["data"]> =>
    (await person.ask("GET", "log?action=passkey.refused")).json<AccountLog>().data;
  const forged = { counter: 3, signature: Buffer.alloc(70) };
  assert.equal(refusalOf(await logInBy(authenticator, newBrowser(gateway), forged)), NOT_GOOD);
  assert.deepEqual(await reports(), []);
  for (const counter of [9, 8, 0]) {
    const browser = newBrowser(gateway);
    const answer = await logInBy(authenticator, browser, { counter });
    assert.equal(refusalOf(answer), "401 wrong_credentials passkey_copied", String(counter));
    await assertOut(browser);
  }
  const reported = await reports();
  assert.deepEqual(
    reported.map(({ before, after: now }) => [before, (now as { counter: number }).counter]),
    [
      [{ counter: 9 }, 0],
      [{ counter: 9 }, 8],
      [{ counter: 9 }, 9],
    ],
  );
  assert.match((await mailsTo(gateway, person.email, 5)).join(), /count of signatures/);
  const operators = await scene.database.db.query(
    "SELECT account_id AS account FROM audit.actions WHERE action = 'passkey.refused' AND member_id = $1",
    [person.memberId],
  );
  assert.deepEqual(operators, Array(3).fill({ account: person.accountId }));
  assert.equal((await logInBy(authenticator, newBrowser(gateway), { counter: 10 })).status, 200);

  // Synchronised ones do not count, and are no copies.
  const synced = await addPasskey(person, { counts: false });
  for (let time = 0; time < 2; time++)
    assert.equal((await logInBy(synced.authenticator, newBrowser(gateway))).status, 200);
});

test("what one process began another goes on with, and of two who send the same to two one gets in", async () => {
  const [one, two] = scene.gateways;
  const { authenticator } = await addPasskey(await signUpAtPanel(one), { counts: false });
  for (let round = 0; round < 5; round++) {
    const browser = newBrowser(one);
    const credential = authenticator.sign(await beginLogIn(browser));
    const beside = newBrowser(two);
    beside.passkey = browser.passkey;
    const answers = await Promise.all(
      [browser, beside].map((each) => each.ask("POST", "log-in/passkey", { credential })),
    );
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409]);
  }
  // Two signatures with one count, each with a challenge of its own: a copy is at work.
  const counted = await addPasskey(await signUpAtPanel(one));
  const browsers = [newBrowser(one), newBrowser(two)];
  const requests = await Promise.all(browsers.map(beginLogIn));
  const credentials = requests.map((request) =>
    counted.authenticator.sign(request, { counter: 50 }),
  );
  const answers = await Promise.all(
    browsers.map((each, index) =>
      each.ask("POST", "log-in/passkey", { credential: credentials[index] }),
    ),
  );
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 401]);
});

test("wrong signatures are slowed down as passwords are, and take none of the guesses at the password", async () => {
  const [gateway] = scene.gateways;
  await scene.database.db.query("DELETE FROM accounts.attempts");
  const person = await signUpAtPanel(gateway);
  const { authenticator } = await addPasskey(person);
  const lie = { signature: Buffer.alloc(70) };
  for (let guess = 0; guess < 10; guess++)
    assert.equal((await logInBy(authenticator, newBrowser(gateway), lie)).status, 401);
  const slowed = await logInBy(authenticator, newBrowser(gateway), lie);
  assert.equal(refusalOf(slowed), "429 rate_limit_exceeded");
  const byPassword = await newBrowser(gateway).ask("POST", "log-in", {
    email: person.email,
    password: PASSWORD,
  });
  assert.equal(byPassword.status, 200);
  // Its own browser has a count of its own.
  const own = newBrowser(gateway);
  own.device = person.device;
  assert.equal((await logInBy(authenticator, own)).status, 200);
});
