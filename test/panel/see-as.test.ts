/**
 * Protects: an operator who sees the panel as a customer is answered by the routes that are listed
 * here and no others, about that account alone, without contents, secrets and links; nothing is
 * changed by it, both logs have it, and it ends by itself, with the session and with the right.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { AccountLog } from "../../src/contract/panel/account-log.ts";
import type { AuditList } from "../../src/contract/panel/operator-audit.ts";
import type { SeeAsBegun } from "../../src/contract/panel/operator-accounts.ts";
import type { Session, SessionList, Visit } from "../../src/contract/panel/sessions.ts";
import { newSeeAsGrant } from "../../src/business/members/see-as-grant.ts";
import type { PanelRoute } from "../../src/http/panel/member-route.ts";
import type { Route } from "../../src/http/route.ts";
import { createTokenHash } from "../../src/kernel/opaque-token.ts";
import { askRoute, type RouteAnswer, type SentHeaders } from "../support/ask-route.ts";
import type { Gateway } from "../support/gateway-process.ts";
import {
  CHAT_MODEL,
  nameOf,
  needsOf,
  neverOf,
  ownedBy,
  pathWith,
  routeTable,
  thingOf,
  type Thing,
} from "../support/panel-routes.ts";
import type { PanelPerson } from "../support/panel-session.ts";
import {
  digestDatabase,
  openPanelWorld,
  TASK,
  TOUCHED_BY_LOOKING,
  type PanelAccount,
  type PanelWorld,
} from "../support/panel-things.ts";
import { playgroundBodies } from "../support/playground-bodies.ts";

/** A route that is opened to operators is looked through here before it is listed. */
const SEEN = [
  "GET account/block",
  "GET alerts",
  "GET alerts/deliveries",
  "GET alerts/telegram",
  "GET batches",
  "GET billing",
  "GET files",
  "GET groups",
  "GET groups/{id}",
  "GET keys",
  "GET keys/{hash}",
  "GET ledger",
  "GET ledger/days",
  "GET ledger/turnover",
  "GET log",
  "GET members",
  "GET models",
  "GET models/status",
  "GET overview",
  "GET requests",
  "GET requests/totals",
  "GET requests/{id}",
  "GET session",
  "GET spend",
  "GET tasks",
  "GET tasks/{id}",
  "GET top-ups",
  "GET top-ups/{id}",
  "GET usage",
  "POST log-out",
];
const WITH_SECRETS = "https://hooks.example/services/T0/a-path-that-lets-in";
const NEEDED: Readonly<Record<string, string>> = {
  "GET ledger/days": "",
  "GET spend": "?by=member",
};

const ROUTES = routeTable().filter((route) => ![null, "key"].includes(needsOf(route)));
const shortName = (route: Route): string => nameOf(route).replace("/panel/api/", "");
const isSeen = (route: Route): boolean => (route as Partial<PanelRoute>).seen === true;

/** What would change or cost something, were it let through. */
const BODIES: Readonly<Record<string, unknown>> = {
  "POST profile": { name: "changed" },
  "POST members/invite": { email: "new@example.test", role: "owner" },
  "POST members/{id}/role": { role: "owner" },
  "POST members/{id}/group": { group: null },
  "POST second-factor": { required: true },
  "POST keys": { name: "one more" },
  "POST keys/{hash}": { name: "changed" },
  "POST keys/{hash}/roll": { overlapHours: 0 },
  "POST groups": { name: "one more" },
  "POST groups/{id}": { name: "changed" },
  "POST top-ups": { amount: "500", method: "bank_card" },
  "POST alerts": { kind: "spend_day", threshold: "1" },
  "POST alerts/{id}": { enabled: false },
  "POST webhook-secret/roll": { now: true },
  "POST operator/accounts/{id}/credit": { amount: "1", reason: "x", ref: "x" },
  "POST operator/accounts/{id}/adjust": { amount: "1", reason: "x" },
  "POST operator/accounts/{id}/block": { reason: "x" },
  "POST operator/accounts/{id}/limits": { requestsPerMinute: 1 },
  "POST operator/accounts/{id}/notes": { note: "x", tags: [] },
  "POST operator/settings": { name: "changed" },
  "POST playground/tasks/{model}": TASK,
  "POST playground/responses": { model: CHAT_MODEL, input: "Hello" },
};
const CHAT = { model: CHAT_MODEL, max_tokens: 20, messages: [{ role: "user", content: "Hello" }] };

let world: PanelWorld;
let quiet: Gateway;
let customer: PanelAccount;
let house: PanelAccount;
let operator: PanelPerson;
let bodies: Readonly<Record<string, object>>;
/** Of the customer, and of the operator's own account. */
const [theirs, own] = [new Map<Thing, string>(), new Map<Thing, string>()];
before(async () => {
  bodies = await playgroundBodies();
  world = await openPanelWorld();
  [customer, house] = [await world.newAccount(), await world.newAccount()];
  operator = await newOperator();
  for (const thing of new Set([...ownedBy(ROUTES), "response", "batchFile"] as const)) {
    theirs.set(thing, await world.make(thing, customer));
    own.set(thing, await world.make(thing, house));
  }
  const alert = { kind: "spend_day", threshold: "9", webhookUrl: WITH_SECRETS };
  const made = await customer.owner.ask("POST", "alerts", alert);
  assert.equal(made.status, 201, made.text);
  await customer.owner.ask("POST", "webhook-secret/roll", {});
  quiet = await world.startQuiet();
});
after(() => world[Symbol.asyncDispose]());

/** With every right that there is: what it may do by itself is what it may not do here. */
async function newOperator(): Promise<PanelPerson> {
  const person = await world.join(house.owner, "owner");
  await setOperator(person, true);
  return person;
}

const setOperator = ({ memberId }: PanelPerson, is: boolean): Promise<unknown> =>
  world.database.db.query("UPDATE accounts.members SET operator = $2 WHERE member_id = $1", [
    memberId,
    is,
  ]);

/** The cookie that came; the browser does not keep it. */
async function begin(person = operator): Promise<string> {
  const answer = await person.ask("POST", `operator/accounts/${customer.accountId}/see-as`);
  assert.equal(answer.status, 200, answer.text);
  const { seeAs } = person;
  person.seeAs = null;
  return seeAs ?? assert.fail("no cookie came");
}

const withCookies = (...pairs: readonly (string | null)[]): SentHeaders => ({
  cookie: pairs.filter((pair) => pair !== null).join("; "),
});

function ask(route: Route, headers: SentHeaders, ids = theirs): Promise<RouteAnswer> {
  const thing = thingOf(route);
  const id =
    thing === null
      ? ""
      : "owned" in thing
        ? (ids.get(thing.owned) ?? neverOf(thing.owned))
        : thing.shared;
  const name = shortName(route);
  const ending = Object.keys(bodies).find((one) => route.path.endsWith(one)) ?? "";
  const body = BODIES[name] ?? bodies[ending] ?? (route.path.includes("playground") ? CHAT : {});
  return askRoute(
    quiet.url,
    route.method,
    pathWith(route.path, id) + (NEEDED[name] ?? ""),
    {
      ...headers,
      "x-tollgate-key": customer.key.hash,
    },
    body,
  );
}

async function logsOf(
  person: PanelPerson,
): Promise<readonly [AuditList["data"], AccountLog["data"]]> {
  person.seeAs = null;
  const query = `account=${customer.accountId}&action=account.see_as`;
  return [
    (await person.ask("GET", `operator/audit?${query}`)).json<AuditList>().data,
    (await customer.viewer.ask("GET", "log?action=account.see_as")).json<AccountLog>().data,
  ];
}

test("what is shown is listed here, and nothing of it changes anything", () => {
  assert.deepEqual(ROUTES.filter(isSeen).map(shortName).toSorted(), SEEN);
  assert.deepEqual(
    SEEN.filter((name) => !name.startsWith("GET ")),
    ["POST log-out"],
  );
});

test("what is shown is the customer's alone, and the operator's own is not there", async () => {
  const headers = withCookies(operator.cookie, await begin());
  const foreign = [house.accountId, house.key.hash, house.key.mask, ...own.values()];
  for (const route of ROUTES.filter(isSeen)) {
    if (route.method !== "GET") continue;
    const { status, text } = await ask(route, headers);
    assert.equal(status, 200, `${shortName(route)} ${text}`);
    assert.deepEqual(
      foreign.filter((one) => text.includes(one)),
      [],
      shortName(route),
    );
    const thing = thingOf(route);
    if (thing === null || !("owned" in thing)) continue;
    const [of, never] = [await ask(route, headers, own), await ask(route, headers, new Map())];
    assert.deepEqual([of.status, never.status], [404, 404], shortName(route));
  }
  const { session } = JSON.parse(
    (await askRoute(quiet.url, "GET", "/panel/api/visitor", headers)).text,
  ) as Visit;
  assert.deepEqual(
    [session?.account.accountId, session?.member.role, session?.member.operator],
    [customer.accountId, "viewer", false],
  );
});

test("no contents, no secret and no link to a file is in any of it; its owner is shown them", async () => {
  const headers = withCookies(operator.cookie, await begin());
  const hidden = [
    TASK.prompt,
    theirs.get("file") ?? "",
    WITH_SECRETS,
    "/static/",
    "whsec_",
    '"redirectUrl":"http',
  ];
  const shown = new Set<string>();
  for (const route of ROUTES.filter(isSeen)) {
    if (route.method !== "GET") continue;
    const { text } = await ask(route, headers);
    // Examples of the forms of models are everybody's.
    if (shortName(route) === "GET models") continue;
    assert.deepEqual(
      hidden.filter((one) => text.includes(one)),
      [],
      shortName(route),
    );
    const owners = (await ask(route, withCookies(customer.owner.cookie))).text;
    for (const one of hidden) if (owners.includes(one)) shown.add(one);
  }
  for (const one of hidden.slice(0, 4)) assert.ok(shown.has(one), `its owner is shown ${one}`);
});

test("both logs have who it was and until when, half an hour at most", async () => {
  const asked = Date.now();
  const answer = await operator.ask("POST", `operator/accounts/${customer.accountId}/see-as`);
  const { until } = answer.json<SeeAsBegun>();
  const minutes = (Date.parse(until) - asked) / 60_000;
  assert.ok(minutes >= 30 && minutes < 31, String(minutes));
  const [audit, log] = await logsOf(operator);
  for (const entry of [audit[0], log[0]]) {
    assert.equal(entry?.actor, operator.email);
    assert.equal(entry?.memberId, operator.memberId);
    assert.deepEqual(entry?.after, { until });
  }
  const count = audit.length;
  const unknown = await operator.ask("POST", `operator/accounts/${neverOf("account")}/see-as`);
  assert.equal(unknown.status, 404);
  const stranger = await customer.owner.ask("POST", `operator/accounts/${house.accountId}/see-as`);
  assert.equal(stranger.status, 404, "to others it is not there");
  assert.equal((await logsOf(operator))[0].length, count, "what was refused left no line");
});

test("when its time is over, or with a grant that is none, nothing is answered until it is left", async () => {
  const { data: sessions } = (await operator.ask("GET", "sessions")).json<SessionList>();
  const { sessionId } = sessions.find(({ current }) => current) ?? assert.fail();
  const hashToken = createTokenHash(String(world.env["SESSION_SECRET"]));
  const signed = (session: string, ms: number): string =>
    `tollgate_see_as=${newSeeAsGrant(hashToken, session, {
      accountId: customer.accountId,
      until: new Date(Date.now() + ms),
    })}`;
  const good = await begin();
  const refused: readonly (readonly [string, readonly string[]])[] = [
    ["over", [signed(sessionId, -1)]],
    ["of another session", [signed(neverOf("session"), 60_000)]],
    ["made up", [`tollgate_see_as=${"x".repeat(94)}`]],
    ["empty", ["tollgate_see_as="]],
    ["two", [good, signed(sessionId, 60_000)]],
  ];
  for (const [name, cookies] of refused)
    for (const path of ["visitor", "session", "keys", "overview", "operator/accounts"]) {
      const headers = withCookies(operator.cookie, ...cookies);
      const { status, text } = await askRoute(quiet.url, "GET", `/panel/api/${path}`, headers);
      assert.equal(status, 403, `${name}: ${path} ${text}`);
      assert.match(text, /see_as_over/);
    }
  operator.seeAs = good;
  const left = await operator.ask("POST", "see-as/leave");
  assert.deepEqual([left.status, operator.seeAs], [200, null]);
  const { account, seeing } = (await operator.ask("GET", "session")).json<Session>();
  assert.deepEqual([account.accountId, seeing], [house.accountId, null]);
});

test("it ends at once with the operator's right", async () => {
  const headers = withCookies(operator.cookie, await begin());
  const statusOf = async () =>
    (await askRoute(quiet.url, "GET", "/panel/api/keys", headers)).status;
  assert.equal(await statusOf(), 200);
  await setOperator(operator, false);
  assert.equal(await statusOf(), 403);
  await setOperator(operator, true);
});

test("two processes know of it alike, and a log-out at one ends it at the other", async () => {
  const other = await world.startQuiet();
  const leaver = await newOperator();
  const cookies = [leaver.cookie, await begin(leaver)];
  const keysAt = ({ url }: Gateway) =>
    askRoute(url, "GET", "/panel/api/keys", withCookies(...cookies));
  const [here, there] = [await keysAt(quiet), await keysAt(other)];
  assert.deepEqual([here.status, here.text], [200, there.text]);
  assert.ok(there.text.includes(customer.key.hash));
  const out = await askRoute(other.url, "POST", "/panel/api/log-out", withCookies(...cookies));
  assert.equal(out.status, 200);
  assert.deepEqual(
    out.headers.getSetCookie().map((line) => line.split(";")[0]),
    ["tollgate_session=", "tollgate_see_as="],
  );
  assert.equal((await keysAt(quiet)).status, 401);
  assert.equal((await keysAt(other)).status, 401);
});

test(
  "every route but those refuses it, and no row of the database is another one afterwards",
  { timeout: 300_000 },
  async () => {
    const headers = withCookies(operator.cookie, await begin());
    await world.gateway.stop();
    const before = await digestDatabase(world.database, TOUCHED_BY_LOOKING);
    const wrong: string[] = [];
    for (const route of ROUTES) {
      if (shortName(route) === "POST log-out") continue;
      for (const ids of [theirs, own]) {
        const { status, text } = await ask(route, headers, ids);
        // In the words of the protocol of each.
        const refused = status === 403 && text.includes("You see the panel as a customer does");
        const expected = isSeen(route) ? status === 200 || ids === own : refused;
        if (!expected) wrong.push(`${shortName(route)}: ${status} ${text.slice(0, 200)}`);
      }
    }
    assert.deepEqual(wrong, []);
    assert.deepEqual([...(await digestDatabase(world.database, TOUCHED_BY_LOOKING))], [...before]);
  },
);
