/**
 * Protects: the people of an account, by role, and of no other account; it always has an owner; who
 * is removed is out at once.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { MemberList } from "../../src/contract/panel/members.ts";
import type { Session } from "../../src/contract/panel/sessions.ts";
import { setAccountState } from "../../src/ledger/accounts.store.ts";
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
  type BrowserAnswer,
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
const faceOf = ({ status, text }: BrowserAnswer): unknown[] => [
  status,
  text.replace(/"requestId":"[^"]*"/, ""),
];
const listOf = async (person: PanelPerson): Promise<MemberList> =>
  (await person.ask("GET", "members")).json<MemberList>();

async function join(owner: PanelPerson, role: string): Promise<PanelPerson> {
  const email = newEmail();
  assert.equal((await owner.ask("POST", "members/invite", { email, role })).status, 202);
  const browser = openPanelBrowser(gateway.url);
  const accepted = await browser.ask("POST", "members/accept", {
    token: await mailedToken(gateway, email),
    password: PASSWORD,
  });
  assert.deepEqual([accepted.status, accepted.json()], [200, { email }]);
  return logInAtPanel(browser, email, PASSWORD);
}

test("who is invited joins the account with the role, and a link works once", async () => {
  const owner = await signUpAtPanel(gateway, "Ours & <theirs>");
  const email = newEmail();
  await owner.ask("POST", "members/invite", { email: email.toUpperCase(), role: "viewer" });
  const first = await mailedToken(gateway, email);
  await owner.ask("POST", "members/invite", { email, role: "manager" });
  const second = await mailedToken(gateway, email, 2);
  assert.deepEqual(
    (await listOf(owner)).invitations.map((invitation) => [invitation.email, invitation.role]),
    [[email, "manager"]],
  );
  const browser = openPanelBrowser(gateway.url);
  const reported = async (token: string): Promise<unknown[]> =>
    faceOf(await browser.ask("POST", "members/invitation", { token }));
  const dead = faceOf(
    await browser.ask("POST", "members/accept", { token: first, password: PASSWORD }),
  );
  assert.equal(dead[0], 410);
  assert.deepEqual(await reported(first), dead);
  for (const look of ["once", "again"])
    assert.deepEqual(
      await reported(second),
      [200, JSON.stringify({ accountName: "Ours & <theirs>", role: "manager" })],
      look,
    );
  const accepted = await browser.ask("POST", "members/accept", {
    token: second,
    password: PASSWORD,
  });
  assert.deepEqual([accepted.status, accepted.json()], [200, { email }]);
  assert.deepEqual(await reported(second), dead);
  assert.equal(
    codeOf(await browser.ask("POST", "members/accept", { token: second, password: PASSWORD })),
    "gone",
  );
  const manager = await logInAtPanel(browser, email, PASSWORD);
  assert.equal(manager.accountId, owner.accountId);
  const { data, invitations } = await listOf(manager);
  assert.deepEqual(
    data.map((member) => [member.email, member.role]),
    [
      [owner.email, "owner"],
      [email, "manager"],
    ],
  );
  assert.deepEqual(invitations, []);
  assert.equal(
    codeOf(await owner.ask("POST", "members/invite", { email, role: "viewer" })),
    "conflict",
  );
});

test("an invitation that is withdrawn leads nowhere; another account's is a 404", async () => {
  const [owner, stranger] = [await signUpAtPanel(gateway), await signUpAtPanel(gateway)];
  const email = newEmail();
  await owner.ask("POST", "members/invite", { email, role: "owner" });
  const token = await mailedToken(gateway, email);
  const id = (await listOf(owner)).invitations[0]?.invitationId ?? "";
  const never = await stranger.ask(
    "DELETE",
    "members/invitations/00000000-0000-7000-8000-000000000000",
  );
  assert.deepEqual(
    faceOf(await stranger.ask("DELETE", `members/invitations/${id}`)),
    faceOf(never),
  );
  assert.equal((await owner.ask("DELETE", `members/invitations/${id}`)).status, 200);
  for (const path of ["members/invitation", "members/accept"])
    assert.equal(
      codeOf(await stranger.ask("POST", path, { token, password: PASSWORD })),
      "gone",
      path,
    );
});

test("a person with an account elsewhere is told by mail alone; an unconfirmed sign-up stands in no invitation's way", async () => {
  const [owner, elsewhere] = [await signUpAtPanel(gateway), await signUpAtPanel(gateway)];
  const [email, browser] = [newEmail(), openPanelBrowser(gateway.url)];
  await browser.ask("POST", "sign-up", {
    email,
    password: "a stranger's password",
    accountName: "squatted",
    language: "en",
  });
  await mailsTo(gateway, email, 1);
  const invited = await Promise.all(
    [elsewhere.email, email, newEmail()].map((to) =>
      owner.ask("POST", "members/invite", { email: to, role: "viewer" }),
    ),
  );
  assert.deepEqual(new Set(invited.map((answer) => JSON.stringify(faceOf(answer)))).size, 1);
  assert.doesNotMatch((await mailsTo(gateway, elsewhere.email, 2)).at(-1) ?? "", /token=/);
  const token = await mailedToken(gateway, email, 2);
  assert.equal(
    (await browser.ask("POST", "members/accept", { token, password: PASSWORD })).status,
    200,
  );
  assert.equal((await logInAtPanel(browser, email, PASSWORD)).accountId, owner.accountId);
});

test("roles change at the next request, owners alone give them, and of no other account", async () => {
  const [owner, stranger] = [await signUpAtPanel(gateway), await signUpAtPanel(gateway)];
  const [viewer, manager] = [await join(owner, "viewer"), await join(owner, "manager")];
  for (const person of [viewer, manager]) {
    assert.equal(
      codeOf(await person.ask("POST", `members/${person.memberId}/role`, { role: "owner" })),
      "permission_denied",
    );
    assert.equal(
      codeOf(await person.ask("POST", "members/invite", { email: newEmail(), role: "owner" })),
      "permission_denied",
    );
    assert.equal(
      codeOf(await person.ask("DELETE", `members/${owner.memberId}`)),
      "permission_denied",
    );
  }
  const never = "members/00000000-0000-7000-8000-000000000000";
  assert.deepEqual(
    faceOf(await stranger.ask("POST", `members/${viewer.memberId}/role`, { role: "owner" })),
    faceOf(await stranger.ask("POST", `${never}/role`, { role: "owner" })),
  );
  assert.deepEqual(
    faceOf(await stranger.ask("DELETE", `members/${viewer.memberId}`)),
    faceOf(await stranger.ask("DELETE", never)),
  );
  assert.equal(
    (await owner.ask("POST", `members/${viewer.memberId}/role`, { role: "owner" })).status,
    200,
  );
  assert.equal(
    (await viewer.ask("POST", `members/${owner.memberId}/role`, { role: "viewer" })).status,
    200,
  );
  assert.equal((await owner.ask("GET", "session")).json<Session>().member.role, "viewer");
  assert.equal(
    codeOf(await owner.ask("POST", `members/${viewer.memberId}/role`, { role: "viewer" })),
    "permission_denied",
  );
});

test("the last owner neither leaves nor is lowered; of two who lower each other at the same time one stays", async () => {
  const owner = await signUpAtPanel(gateway);
  assert.equal(
    codeOf(await owner.ask("POST", `members/${owner.memberId}/role`, { role: "manager" })),
    "conflict",
  );
  assert.equal(codeOf(await owner.ask("DELETE", `members/${owner.memberId}`)), "conflict");
  const second = await join(owner, "owner");
  await Promise.all([
    owner.ask("POST", `members/${second.memberId}/role`, { role: "viewer" }),
    second.ask("POST", `members/${owner.memberId}/role`, { role: "viewer" }),
  ]);
  assert.equal((await listOf(owner)).data.filter(({ role }) => role === "owner").length, 1);
});

test("who is removed is out at once, with links and all; everybody may leave", async () => {
  const owner = await signUpAtPanel(gateway);
  const [one, two] = [await join(owner, "manager"), await join(owner, "viewer")];
  await one.ask("POST", "password/forgot", { email: one.email });
  const token = await mailedToken(gateway, one.email, 2);
  assert.equal((await owner.ask("DELETE", `members/${one.memberId}`)).status, 200);
  assert.equal((await one.ask("GET", "session")).status, 401);
  assert.equal(
    codeOf(await one.ask("POST", "password/reset", { token, password: "quite another password" })),
    "gone",
  );
  assert.equal((await two.ask("DELETE", `members/${two.memberId}`)).status, 200);
  assert.equal(
    (await two.ask("POST", "log-in", { email: two.email, password: PASSWORD })).status,
    401,
  );
  assert.deepEqual(
    (await listOf(owner)).data.map(({ memberId }) => memberId),
    [owner.memberId],
  );
});

test("members of a blocked account look, and change nothing", async () => {
  const owner = await signUpAtPanel(gateway);
  await setAccountState(database.db, owner.accountId, "blocked");
  const session = (await owner.ask("GET", "session")).json<Session>();
  assert.deepEqual(
    [session.member.role, session.account.blocked],
    ["owner", true],
    "the role stays, and is good for nothing meanwhile",
  );
  assert.equal((await owner.ask("GET", "members")).status, 200);
  assert.equal(
    codeOf(await owner.ask("POST", "members/invite", { email: newEmail(), role: "viewer" })),
    "permission_denied",
  );
  await setAccountState(database.db, owner.accountId, "open");
  assert.equal((await owner.ask("GET", "session")).json<Session>().member.role, "owner");
});

test("a profile takes a name, a language and a time zone that there is", async () => {
  const person = await signUpAtPanel(gateway);
  const changed = await person.ask("POST", "profile", {
    name: " Анна ",
    language: "ru",
    timezone: "Asia/Vladivostok",
  });
  const { member } = changed.json<Session>();
  assert.deepEqual(
    [member.name, member.language, member.timezone],
    ["Анна", "ru", "Asia/Vladivostok"],
  );
  assert.deepEqual((await person.ask("POST", "profile", {})).json<Session>().member, member);
  for (const body of [
    { timezone: "Mars/Olympus" },
    { name: " " },
    { name: "two\nlines" },
    { language: "de" },
    { name: null },
  ]) {
    assert.equal(
      codeOf(await person.ask("POST", "profile", body)),
      "invalid_request",
      JSON.stringify(body),
    );
  }
});
