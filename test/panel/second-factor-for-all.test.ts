/**
 * Protects: an account that wants a second factor of all lets a member without one do nothing but set
 * one up, from the next request on; API keys go on, and no owner locks itself out.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Secret, TOTP } from "otpauth";
import type { AccountLog } from "../../src/contract/panel/account-log.ts";
import type { PanelKeyMade } from "../../src/contract/panel/panel-key.ts";
import type { Session } from "../../src/contract/panel/sessions.ts";
import type { BrowserAnswer, PanelBrowser, PanelPerson } from "../support/panel-session.ts";
import { openPanelBrowser, PASSWORD } from "../support/panel-session.ts";
import { openPanelWorld, type PanelWorld } from "../support/panel-things.ts";

let world: PanelWorld;
before(async () => {
  world = await openPanelWorld();
});
after(() => world[Symbol.asyncDispose]());

const codeOf = (answer: BrowserAnswer): string =>
  answer.json<{ error: { code: string } }>().error.code;
const stageOf = (answer: BrowserAnswer): string => answer.json<Session>().member.stage;

async function enrol(person: Pick<PanelPerson, "ask">): Promise<void> {
  const { secret } = (await person.ask("POST", "totp/begin")).json<{ secret: string }>();
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  const confirmed = await person.ask("POST", "totp/confirm", { code });
  assert.equal(confirmed.status, 200, confirmed.text);
}

async function logIn(email: string): Promise<{ browser: PanelBrowser; answer: BrowserAnswer }> {
  const browser = openPanelBrowser(world.gateway.url);
  return { browser, answer: await browser.ask("POST", "log-in", { email, password: PASSWORD }) };
}

test("who has none is led to set one up and reaches nothing else, whichever session; then it goes on", async () => {
  const { owner, manager, viewer, secret } = await world.newAccount();
  const refused = await owner.ask("POST", "second-factor", { required: true });
  assert.deepEqual([refused.status, codeOf(refused)], [409, "conflict"]);
  await enrol(owner);
  const notOwners = await manager.ask("POST", "second-factor", { required: true });
  assert.equal(notOwners.status, 403);
  assert.equal((await owner.ask("POST", "second-factor", { required: true })).status, 200);

  assert.equal((await owner.ask("GET", "keys")).status, 200, "who has one goes on");
  for (const [method, path, body] of [
    ["GET", "keys", undefined],
    ["GET", "overview", undefined],
    ["GET", "sessions", undefined],
    ["POST", "keys", { name: "x" }],
    ["POST", "password", { current: PASSWORD, next: "several words that are new" }],
    ["POST", "profile", { name: "x" }],
  ] as const) {
    const shut = await manager.ask(method, path, body);
    assert.deepEqual([path, shut.status, codeOf(shut)], [path, 403, "login_unfinished"]);
  }
  assert.equal(stageOf(await manager.ask("GET", "session")), "enrol");
  const { browser, answer } = await logIn(viewer.email);
  assert.deepEqual([answer.status, stageOf(answer)], [200, "enrol"]);
  assert.equal((await browser.ask("GET", "keys")).status, 403);

  const models = await fetch(`${world.gateway.url}/v1/models`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  assert.equal(models.status, 200, "keys are not asked");

  await enrol(browser);
  assert.equal((await browser.ask("GET", "keys")).status, 200);
  assert.equal((await viewer.ask("GET", "keys")).status, 200, "its other sessions, too");
  const off = await browser.ask("POST", "totp/disable", { password: PASSWORD, code: "000000" });
  assert.deepEqual([off.status, codeOf(off)], [409, "conflict"]);

  const quiet = await world.startQuiet();
  const elsewhere = await fetch(`${quiet.url}/panel/api/keys`, {
    headers: { cookie: manager.cookie ?? "" },
  });
  assert.equal(elsewhere.status, 403, "in every process");
  assert.equal((await owner.ask("POST", "second-factor", { required: false })).status, 200);
  assert.equal((await manager.ask("GET", "keys")).status, 200);
  const { data } = (await owner.ask("GET", "log?action=account.second_factor")).json<AccountLog>();
  assert.deepEqual(
    data.map(({ after: now }) => now),
    [{ required: false }, { required: true }],
  );
});

test("the log names members as they come, change and go, and their keys stay with the account", async () => {
  const account = await world.newAccount();
  const { owner } = account;
  const developer = await world.join(owner, "developer");
  const made = await developer.ask("POST", "keys", { name: "mine" });
  assert.equal(made.status, 201, made.text);
  const { key, secret } = made.json<PanelKeyMade>();
  await owner.ask("POST", `members/${developer.memberId}/role`, { role: "viewer" });
  await owner.ask("POST", `members/${developer.memberId}/role`, { role: "viewer" });
  assert.equal((await owner.ask("DELETE", `members/${developer.memberId}`)).status, 200);
  await owner.ask("POST", "members/invite", { email: "late@example.test", role: "developer" });
  const invitation = (await owner.ask("GET", "members")).json<{
    invitations: { invitationId: string }[];
  }>().invitations[0]?.invitationId;
  await owner.ask("DELETE", `members/invitations/${invitation ?? ""}`);
  await world.make("topUp", account);
  const alert = await world.make("alert", account);
  await owner.ask("POST", `alerts/${alert}`, { enabled: false });
  await owner.ask("DELETE", `alerts/${alert}`);
  const { data } = (await owner.ask("GET", "log?limit=9")).json<AccountLog>();
  assert.deepEqual(
    data.map(({ action, subject, actor }) => [action, subject, actor]).toReversed(),
    [
      ["key.create", `mine (${key.mask})`, developer.email],
      ["member.role", developer.email, owner.email],
      ["member.remove", developer.email, owner.email],
      ["member.invite", "late@example.test", owner.email],
      ["member.withdraw", "late@example.test", owner.email],
      ["top_up.begin", null, owner.email],
      ["alert.create", "balance_below", owner.email],
      ["alert.change", "balance_below", owner.email],
      ["alert.delete", "balance_below", owner.email],
    ],
  );
  const models = await fetch(`${world.gateway.url}/v1/models`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  assert.equal(models.status, 200, "what runs by the key does not stop with the person");
  assert.equal((await developer.ask("GET", "session")).status, 401);
});
