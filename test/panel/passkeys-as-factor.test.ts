/**
 * Protects: a passkey is a second factor where an account wants one of all, the last factor stays, and
 * passkeys are their member's own: no viewer adds one, and no operator who sees as a customer.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Secret, TOTP } from "otpauth";
import type { MemberList } from "../../src/contract/panel/members.ts";
import type { Session } from "../../src/contract/panel/sessions.ts";
import { joinAccount } from "../support/join-account.ts";
import {
  PASSWORD,
  signUpAtPanel,
  type BrowserAnswer,
  type PanelBrowser,
  type PanelPerson,
} from "../support/panel-session.ts";
import {
  addPasskey,
  begin,
  logInBy,
  newBrowser,
  openPasskeysScene,
  passkeysOf,
  refusalOf,
  ORIGIN,
  type PasskeysScene,
} from "./passkeys-scene.ts";
import { createSoftwareAuthenticator } from "../support/software-authenticator.ts";

let scene: PasskeysScene;
before(async () => {
  scene = await openPasskeysScene();
});
after(() => scene[Symbol.asyncDispose]());

const stageOf = (answer: BrowserAnswer): string => answer.json<Session>().member.stage;
const remove = (person: PanelBrowser, id: string): Promise<BrowserAnswer> =>
  person.ask("DELETE", `passkeys/${id}`);

async function byPassword({ email }: PanelPerson): Promise<{
  readonly browser: PanelBrowser;
  readonly stage: string;
}> {
  const browser = newBrowser(scene.gateways[0]);
  const answer = await browser.ask("POST", "log-in", { email, password: PASSWORD });
  return { browser, stage: stageOf(answer) };
}

/** Turns on the codes of an app; its secret. */
async function enrol(person: PanelBrowser): Promise<string> {
  const { secret } = (await person.ask("POST", "totp/begin")).json<{ secret: string }>();
  const code = codeFor(secret, -1);
  assert.equal((await person.ask("POST", "totp/confirm", { code })).status, 200);
  return secret;
}

function codeFor(secret: string, periods = 0): string {
  const timestamp = Date.now() + periods * 30_000;
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });
}

test("the password alone opens until the account insists; then the passkey, or a recovery code, is the second factor", async () => {
  const [gateway] = scene.gateways;
  const owner = await signUpAtPanel(gateway);
  const early = await owner.ask("POST", "second-factor", { required: true });
  assert.equal(refusalOf(early), "409 conflict own_factor_first");
  const { passkey, authenticator, recoveryCodes } = await addPasskey(owner);
  assert.equal((await byPassword(owner)).stage, "full");
  assert.equal((await owner.ask("POST", "second-factor", { required: true })).status, 200);
  assert.equal((await owner.ask("GET", "keys")).status, 200, "who has a passkey goes on");
  const { data } = (await owner.ask("GET", "members")).json<MemberList>();
  assert.deepEqual(
    data.map(({ totp, passkeys }) => [totp, passkeys]),
    [[false, 1]],
  );

  const half = await byPassword(owner);
  assert.equal(half.stage, "totp");
  assert.equal((await half.browser.ask("GET", "keys")).status, 403);
  assert.equal(stageOf(await logInBy(authenticator, half.browser)), "full");
  const lost = await byPassword(owner);
  const [code = ""] = recoveryCodes ?? [];
  assert.equal(stageOf(await lost.browser.ask("POST", "log-in/totp", { code })), "full");
  const again = await byPassword(owner);
  assert.equal((await again.browser.ask("POST", "log-in/totp", { code })).status, 401, "once");

  assert.equal(refusalOf(await remove(owner, passkey.passkeyId)), "409 conflict factor_wanted");
  assert.equal((await passkeysOf(owner)).length, 1, "it is there still");
  assert.equal((await logInBy(authenticator, newBrowser(gateway))).status, 200);
  const second = await addPasskey(owner);
  assert.equal((await remove(owner, passkey.passkeyId)).status, 200);
  assert.equal((await owner.ask("POST", "second-factor", { required: false })).status, 200);
  assert.equal((await remove(owner, second.passkey.passkeyId)).status, 200);
  const [codes] = await scene.database.db.query<{ left: number }>(
    "SELECT count(*)::int AS left FROM accounts.recovery_codes WHERE member_id = $1",
    [owner.memberId],
  );
  assert.equal(codes?.left, 0, "codes of no factor open nothing");
});

test("app and passkey stand for each other; of two that are taken away at once one stays", async () => {
  const [one, two] = scene.gateways;
  const owner = await signUpAtPanel(one);
  const secret = await enrol(owner);
  const { passkey, authenticator, recoveryCodes } = await addPasskey(owner);
  assert.equal(recoveryCodes, null, "those of the app are there");
  assert.equal((await byPassword(owner)).stage, "totp");
  assert.equal(stageOf(await logInBy(authenticator, newBrowser(two))), "full");
  await owner.ask("POST", "second-factor", { required: true });
  const off = { password: PASSWORD, code: codeFor(secret) };
  assert.equal((await owner.ask("POST", "totp/disable", off)).status, 200);
  assert.equal((await owner.ask("GET", "keys")).status, 200);
  assert.equal(refusalOf(await remove(owner, passkey.passkeyId)), "409 conflict factor_wanted");

  // Two passkeys, each taken away by another process at the same moment.
  const other = await addPasskey(owner);
  const elsewhere = newBrowser(two);
  elsewhere.cookie = owner.cookie;
  const answers = await Promise.all([
    remove(owner, passkey.passkeyId),
    remove(elsewhere, other.passkey.passkeyId),
  ]);
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409]);
  assert.equal((await passkeysOf(owner)).length, 1);
});

test("a member has ten, however many are sent at once", async () => {
  const person = await signUpAtPanel(scene.gateways[0]);
  for (let each = 0; each < 8; each++) {
    await addPasskey(person);
    // Passwords are slowed down, which is not what this is about.
    await scene.database.db.query("DELETE FROM accounts.attempts");
  }
  const credentials = [];
  for (let each = 0; each < 4; each++)
    credentials.push(createSoftwareAuthenticator(ORIGIN).create(await begin(person)));
  const answers = await Promise.all(
    credentials.map((credential) => person.ask("POST", "passkeys", { name: "one", credential })),
  );
  const refused = answers.filter(({ status }) => status !== 201).map(refusalOf);
  assert.deepEqual(refused, Array(2).fill("409 conflict passkeys_most"));
  assert.equal((await passkeysOf(person)).length, 10);
  await scene.database.db.query("DELETE FROM accounts.attempts");
  const more = await person.ask("POST", "passkeys/begin", { password: PASSWORD });
  assert.equal(refusalOf(more), "409 conflict passkeys_most");
});

test("no viewer adds one, and who became a viewer can still take a lost one away", async () => {
  const [gateway] = scene.gateways;
  const owner = await signUpAtPanel(gateway);
  const member = await joinAccount(gateway, owner, "manager");
  const { passkey } = await addPasskey(member);
  await owner.ask("POST", `members/${member.memberId}/role`, { role: "viewer" });
  for (const [path, body] of [
    ["passkeys/begin", { password: PASSWORD }],
    ["passkeys", { name: "x", credential: { id: "AA", response: {} } }],
  ] as const)
    assert.equal((await member.ask("POST", path, body)).status, 403, path);
  assert.equal((await remove(owner, passkey.passkeyId)).status, 404, "not even its owner's");
  assert.equal((await remove(member, passkey.passkeyId)).status, 200);
});

test("who sees as a customer is shown no passkeys and adds none; an operator's own are in the operators' log", async () => {
  const [gateway] = scene.gateways;
  const customer = await signUpAtPanel(gateway);
  const operator = await signUpAtPanel(gateway);
  const { db } = scene.database;
  await db.query("UPDATE accounts.members SET operator = true WHERE member_id = $1", [
    operator.memberId,
  ]);
  const { passkey, authenticator } = await addPasskey(operator);
  const browser = newBrowser(gateway);
  assert.equal((await logInBy(authenticator, browser)).status, 200);
  const see = await browser.ask("POST", `operator/accounts/${customer.accountId}/see-as`);
  assert.equal(see.status, 200, see.text);
  for (const [method, path] of [
    ["GET", "passkeys"],
    ["POST", "passkeys/begin"],
    ["DELETE", `passkeys/${passkey.passkeyId}`],
  ] as const) {
    const answer = await browser.ask(method, path, { password: PASSWORD });
    assert.equal(refusalOf(answer), "403 permission_denied seeing_as", path);
  }
  await browser.ask("POST", "see-as/leave");
  assert.equal((await remove(browser, passkey.passkeyId)).status, 200);
  const logged = await db.query<{ action: string }>(
    "SELECT action FROM audit.actions WHERE member_id = $1 AND action LIKE 'passkey.%' ORDER BY audit_id",
    [operator.memberId],
  );
  assert.deepEqual(
    logged.map(({ action }) => action),
    ["passkey.add", "passkey.log_in", "passkey.remove"],
  );
});
