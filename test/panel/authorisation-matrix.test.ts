/** Protects (safety S6, A.4-2): every route of the table answers whom it declares to answer, and of another account's things as of what never was. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { MemberNeeds } from "../../src/http/panel/member-access.ts";
import type { Route } from "../../src/http/route.ts";
import { openPanelBrowser, PASSWORD } from "../support/panel-session.ts";
import {
  CHAT_MODEL,
  nameOf,
  neverOf,
  openPanelWorld,
  pathWith,
  routeTable,
  TASK,
  thingOf,
  type PanelAccount,
  type PanelWorld,
  type Thing,
} from "../support/panel-things.ts";

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

type Sent = Readonly<Record<string, string>>;

const ROUTES = routeTable();
const NEEDED_BY_RAW: Readonly<Record<string, MemberNeeds | "key">> = {
  "POST /v1/chat/completions": "key",
  "POST /v1/messages": "key",
  "POST /panel/api/playground/chat/completions": "manager",
  "POST /panel/api/playground/messages": "manager",
};

/** Null: it answers everybody. */
function needsOf(route: Route): MemberNeeds | "key" | null {
  if (route.access === "open") return null;
  if (route.access === "key") return "key";
  if (route.access === "member") return route.needs;
  return NEEDED_BY_RAW[nameOf(route)] ?? assert.fail(`${nameOf(route)}: say whom this raw route answers`);
}

const ofMembers = ROUTES.filter((route) => ![null, "key"].includes(needsOf(route)));
const ofKeys = ROUTES.filter((route) => needsOf(route) === "key");

let world: PanelWorld;
let ours: PanelAccount;
let theirs: PanelAccount;
before(async () => {
  world = await openPanelWorld();
  ours = await world.newAccount();
  theirs = await world.newAccount();
});
after(() => world[Symbol.asyncDispose]());

async function ask(method: string, path: string, headers: Sent, body?: unknown): Promise<Answer> {
  const response = await fetch(`${world.gateway.url}${path}`, {
    method,
    redirect: "manual",
    headers: {
      ...(path.startsWith("/panel") ? { origin: world.gateway.url } : {}),
      ...(method === "POST" ? { "content-type": "application/json" } : {}),
      ...headers,
    },
    ...(method === "POST" ? { body: JSON.stringify(body ?? {}) } : {}),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const cookieOf = (person: { readonly cookie: string | null }): Sent => ({ cookie: person.cookie ?? assert.fail("has no session") });

/** All that a caller can see of an answer, but for what differs between any two: the id and the moment, and what it sent itself. */
function faceOf({ status, headers, text }: Answer, sent: string): unknown {
  const seen = [...headers].filter(([name]) => !["date", "x-request-id", "request-id"].includes(name));
  const own = (text_: string): string => text_.replaceAll(/req_[0-9a-f]{32}/g, "REQUEST").replaceAll(sent, "SENT");
  return [status, seen, own(text)];
}

const NOTHING_HERE = "There is nothing at this path";
const codeOf = ({ text }: Answer): string => /"code":"(\w+)"/.exec(text)?.[1] ?? "";

/** The status and code with which the route refuses; null: it goes on to do what it is for. */
function refusalOf(needs: MemberNeeds, caller: "stranger" | "unfinished" | "viewer" | "manager" | "owner" | "operator"): string | null {
  if (caller === "stranger") return "401 session_required";
  if (needs === "unfinished") return null;
  if (caller === "unfinished") return "403 login_unfinished";
  if (needs === "operator") return caller === "operator" ? null : "404 not_found";
  const ladder = ["viewer", "manager", "owner"];
  const standing = caller === "operator" ? "viewer" : caller;
  return ladder.indexOf(standing) < ladder.indexOf(needs) ? "403 permission_denied" : null;
}

/** Every session as it was: a route under test may have ended it. */
async function restoreSessions(): Promise<void> {
  await world.database.db.query("INSERT INTO accounts.sessions SELECT * FROM sessions_kept ON CONFLICT DO NOTHING");
}

test("every route of the panel lets in whom it declares to let in, and nobody else", { timeout: 400_000 }, async () => {
  const { db } = world.database;
  // Of their own, because what these callers may do is done.
  const [ours, theirs] = [await world.newAccount(), await world.newAccount()];
  // With no role but the least, so that nothing but being one opens the operators' routes.
  const operator = await world.join(ours.owner, "viewer");
  await db.query("UPDATE accounts.members SET operator = true WHERE member_id = $1", [operator.memberId]);
  const staged = async (stage: string) => {
    const person = await world.join(ours.owner, "owner");
    await db.query("UPDATE accounts.sessions SET stage = $2 WHERE member_id = $1", [person.memberId, stage]);
    return person;
  };
  const expired = await world.join(ours.owner, "owner");
  await db.query("UPDATE accounts.sessions SET expires_at = clock_timestamp() - interval '1 second' WHERE member_id = $1", [
    expired.memberId,
  ]);
  const token = (ours.owner.cookie ?? "").split("=")[1] ?? "";
  const callers: readonly (readonly [name: string, kind: Parameters<typeof refusalOf>[1], headers: Sent])[] = [
    ["nobody", "stranger", {}],
    ["a made-up cookie", "stranger", { cookie: `tollgate_session=${"A".repeat(43)}` }],
    ["an expired session", "stranger", cookieOf(expired)],
    ["an API key", "stranger", { authorization: `Bearer ${ours.secret}`, "x-api-key": ours.secret }],
    ["an API key as a cookie", "stranger", { cookie: `tollgate_session=${ours.secret}` }],
    ["a session's token as a key", "stranger", { authorization: `Bearer ${token}` }],
    ["a session before its code", "unfinished", cookieOf(await staged("totp"))],
    ["a session before its new password", "unfinished", cookieOf(await staged("password"))],
    ["a viewer", "viewer", cookieOf(ours.viewer)],
    ["a manager", "manager", cookieOf(ours.manager)],
    ["an owner", "owner", cookieOf(ours.owner)],
    ["an owner of another account", "owner", cookieOf(theirs.owner)],
    ["an operator", "operator", cookieOf(operator)],
  ];
  await db.query("CREATE TABLE sessions_kept AS TABLE accounts.sessions");
  const wrong: string[] = [];
  for (const route of ofMembers) {
    const needs = needsOf(route) as MemberNeeds;
    const thing = thingOf(route);
    const id = thing === null ? "" : "owned" in thing ? neverOf(thing.owned) : thing.shared;
    for (const [name, kind, headers] of callers) {
      const answer = await ask(route.method, pathWith(route.path, id), headers);
      const refusal = refusalOf(needs, kind);
      const told = `${answer.status} ${codeOf(answer)}`;
      const complain = (): void => void wrong.push(`${nameOf(route)} as ${name}: ${told}, not ${refusal ?? "let in"}`);
      if (refusal === null) {
        // It may still lack a body, or a key: that is found by what the route is for, after it let the caller in.
        const missing = answer.status === 404 && "owned" in (thing ?? {}) ? !answer.text.includes(NOTHING_HERE) : false;
        const letIn = answer.status < 500 && ![401, 403].includes(answer.status) && (answer.status !== 404 || missing);
        // The one door that refuses by what is wrong with the session's stage, and those that ask for a code or a password again.
        const asked = ["session_required", "login_unfinished", "permission_denied"].includes(codeOf(answer));
        if (!letIn && (asked || answer.status >= 500 || answer.status === 404)) complain();
        await restoreSessions();
      } else if (route.access === "raw" ? answer.status !== Number(refusal.slice(0, 3)) : told !== refusal) complain();
      else if (needs === "operator" && kind !== "stranger" && kind !== "unfinished" && !answer.text.includes(NOTHING_HERE)) complain();
      if (refusal !== null && answer.headers.getSetCookie().some((line) => !line.includes("Max-Age=0"))) complain();
    }
  }
  assert.deepEqual(wrong, []);
});

/** Bodies that are accepted, by route: with them a route comes to what it is for. A route that takes one and is not here fails. */
const BODIES: Readonly<Record<string, unknown>> = {
  "POST /panel/api/members/{id}/role": { role: "manager" },
  "POST /panel/api/keys/{hash}": { name: "renamed" },
  "POST /panel/api/keys/{hash}/roll": { overlapHours: 1 },
  "POST /panel/api/alerts/{id}": { threshold: "8" },
  "POST /panel/api/operator/accounts/{id}/credit": { amount: "1", reason: "a test", ref: "a-test" },
  "POST /panel/api/operator/accounts/{id}/adjust": { amount: "1", reason: "a test" },
  "POST /panel/api/operator/accounts/{id}/block": { reason: "a test" },
  "POST /panel/api/operator/accounts/{id}/unblock": { reason: "a test" },
  "POST /panel/api/operator/accounts/{id}/limits": { requestsPerMinute: null },
  "POST /panel/api/operator/tasks/{id}/retry": {},
  "POST /panel/api/operator/tasks/{id}/fail": { reason: "a test" },
};

/** What the owner of a thing is told where that is not a success: the thing is its own, and this cannot be done with it. */
const TOLD_OWNER: Readonly<Record<string, number>> = {
  // It is over, so there is nothing to end.
  "POST /panel/api/operator/tasks/{id}/fail": 409,
};

function bodyOf(route: Route): unknown {
  if (route.access !== "raw" && route.doc.requestBody === undefined) return {};
  return BODIES[nameOf(route)] ?? assert.fail(`${nameOf(route)}: give it a body that it accepts`);
}

function ownedRoutes(of: readonly Route[]): { readonly route: Route; readonly thing: Thing }[] {
  return of.flatMap((route) => {
    const thing = thingOf(route);
    return thing !== null && "owned" in thing ? [{ route, thing: thing.owned }] : [];
  });
}

const isOperators = (route: Route): boolean => needsOf(route) === "operator";

test(
  "another account's id is answered as one that never was, byte for byte, and does nothing; one's own works",
  { timeout: 400_000 },
  async () => {
    const routes = ownedRoutes(ofMembers).filter(({ route }) => !isOperators(route));
    const headers = cookieOf(ours.owner);
    assert.ok(routes.length >= 20);
    const made = new Map<Thing, string>();
    for (const { thing } of routes) if (!made.has(thing)) made.set(thing, await world.make(thing, theirs));
    for (const { route, thing } of routes) {
      const [foreign, never] = [made.get(thing) ?? "", neverOf(thing)];
      const answers = new Map<string, unknown>();
      for (const id of [never, foreign]) {
        const answer = await ask(route.method, pathWith(route.path, id), headers, bodyOf(route));
        assert.deepEqual([nameOf(route), answer.status], [nameOf(route), 404]);
        answers.set(id, faceOf(answer, id));
      }
      assert.deepEqual(answers.get(foreign), answers.get(never), nameOf(route));
      // Letters that are not of the id's form, and what tries to leave the folder, are not there either.
      for (const odd of ["x", "..", "%00", "' OR 1=1 --", `${foreign}x`, "a".repeat(3000)]) {
        const { status } = await ask(route.method, pathWith(route.path, odd), headers, bodyOf(route));
        assert.ok([400, 404, 405, 414].includes(status), `${nameOf(route)} ${odd.slice(0, 40)} ${status}`);
      }
    }
    // The owner still has them all, unchanged: by each route, which ends them last.
    const later = routes.toSorted((a, b) => Number(a.route.method === "DELETE") - Number(b.route.method === "DELETE"));
    for (const { route, thing } of later) {
      const answer = await ask(route.method, pathWith(route.path, made.get(thing) ?? ""), cookieOf(theirs.owner), bodyOf(route));
      const expected = TOLD_OWNER[nameOf(route)];
      assert.ok(
        expected === undefined ? answer.status < 300 : answer.status === expected,
        `${nameOf(route)} of one's own: ${answer.status} ${answer.text}`,
      );
    }
  },
);

test("what was deleted is answered as what never was, to its own account as to another", { timeout: 400_000 }, async () => {
  const routes = ownedRoutes(ofMembers).filter(({ route }) => !isOperators(route));
  const deleting = routes.filter(({ route }) => route.method === "DELETE");
  assert.deepEqual(deleting.map(({ thing }) => thing).toSorted(), ["alert", "file", "invitation", "key", "member", "session"]);
  for (const { route: end, thing } of deleting) {
    const id = await world.make(thing, ours);
    assert.ok((await ask("DELETE", pathWith(end.path, id), cookieOf(ours.owner))).status < 300);
    for (const { route } of routes.filter((one) => one.thing === thing)) {
      for (const person of [ours.owner, theirs.owner]) {
        const [answer, never] = await Promise.all(
          [id, neverOf(thing)].map(async (one) =>
            faceOf(await ask(route.method, pathWith(route.path, one), cookieOf(person), bodyOf(route)), one),
          ),
        );
        // Its own account still looks up what a deleted key spent, and is told that it was deleted.
        if (thing === "key" && person === ours.owner) assert.ok([200, 404, 409].includes(Number((answer as unknown[])[0])), nameOf(route));
        else assert.deepEqual(answer, never, nameOf(route));
      }
    }
  }
});

test("a session belongs to its member: a colleague of whatever role finds it as little as a stranger", async () => {
  const id = await world.make("session", ours);
  for (const person of [ours.manager, ours.viewer, theirs.owner]) {
    const [theirsOf, never] = await Promise.all(
      [id, neverOf("session")].map(async (one) => faceOf(await ask("DELETE", `/panel/api/sessions/${one}`, cookieOf(person)), one)),
    );
    assert.deepEqual(theirsOf, never);
  }
  assert.match((await ours.owner.ask("GET", "sessions")).text, new RegExp(id));
});

test("operators act on whatever account is named, and find nothing where there is nothing", { timeout: 400_000 }, async () => {
  const operator = await world.join(ours.owner, "viewer");
  await world.database.db.query("UPDATE accounts.members SET operator = true WHERE member_id = $1", [operator.memberId]);
  const routes = ownedRoutes(ofMembers).filter(({ route }) => isOperators(route));
  assert.ok(routes.length >= 8);
  const other = await world.newAccount();
  for (const { route, thing } of routes) {
    const never = await ask(route.method, pathWith(route.path, neverOf(thing)), cookieOf(operator), bodyOf(route));
    assert.deepEqual([nameOf(route), never.status, codeOf(never)], [nameOf(route), 404, "not_found"]);
    const id = thing === "account" ? other.accountId : await world.make(thing, theirs);
    const answer = await ask(route.method, pathWith(route.path, id), cookieOf(operator), bodyOf(route));
    const expected = TOLD_OWNER[nameOf(route)];
    assert.ok(
      expected === undefined ? answer.status < 300 : answer.status === expected,
      `${nameOf(route)}: ${answer.status} ${answer.text}`,
    );
  }
});

test(
  "every route of the API wants a key that is valid now: nothing else that somebody may have opens one",
  { timeout: 200_000 },
  async () => {
    const { db } = world.database;
    const madeKey = async (): Promise<{ secret: string; hash: string }> => {
      const { secret, key } = (await ours.owner.ask("POST", "keys", { name: "short-lived" })).json<{
        secret: string;
        key: { hash: string };
      }>();
      return { secret, hash: key.hash };
    };
    const [gone, over] = [await madeKey(), await madeKey()];
    assert.equal((await ours.owner.ask("DELETE", `keys/${gone.hash}`)).status, 200);
    await db.query("UPDATE keys.keys SET expires_at = clock_timestamp() - interval '1 second' WHERE hash = $1", [over.hash]);
    const token = (ours.owner.cookie ?? "").split("=")[1] ?? "";
    const bearer = (secret: string): Sent => ({ authorization: `Bearer ${secret}` });
    const callers: readonly (readonly [string, Sent])[] = [
      ["nobody", {}],
      ["a made-up key", bearer(`tg_live_${"A".repeat(38)}`)],
      ["a deleted key", bearer(gone.secret)],
      ["a key that is over", bearer(over.secret)],
      ["a mask", bearer(ours.key.mask.replace("…", "..."))],
      ["a hash", bearer(ours.key.hash)],
      ["a session", cookieOf(ours.owner)],
      ["a session's token", { "x-api-key": token }],
      ["a secret in a cookie", { cookie: `tollgate_session=${ours.secret}` }],
    ];
    const wrong: string[] = [];
    for (const route of ofKeys) {
      const thing = thingOf(route);
      const id = thing === null ? "" : "owned" in thing ? neverOf(thing.owned) : thing.shared;
      for (const [name, headers] of callers) {
        const { status } = await ask(route.method, pathWith(route.path, id), headers);
        if (status !== 401) wrong.push(`${nameOf(route)} as ${name}: ${status}`);
      }
      const { status } = await ask(route.method, pathWith(route.path, id), bearer(ours.secret));
      if ([401, 403].includes(status) || status >= 500) wrong.push(`${nameOf(route)} with a good key: ${status}`);
    }
    assert.deepEqual(wrong, []);
  },
);

test("the API answers another account's ids as those that never were; one's own work", { timeout: 200_000 }, async () => {
  const routes = ownedRoutes(ofKeys);
  assert.ok(routes.length >= 6);
  const made = new Map<Thing, string>();
  for (const { thing } of routes) if (!made.has(thing)) made.set(thing, await world.make(thing, theirs));
  const as = (account: PanelAccount): Sent => ({ authorization: `Bearer ${account.secret}` });
  for (const { route, thing } of routes) {
    const [foreign, never] = await Promise.all(
      [made.get(thing) ?? "", neverOf(thing)].map(async (id) => faceOf(await ask(route.method, pathWith(route.path, id), as(ours)), id)),
    );
    assert.equal((foreign as unknown[])[0], 404, nameOf(route));
    assert.deepEqual(foreign, never, nameOf(route));
  }
  for (const { route, thing } of routes) {
    const answer = await ask(route.method, pathWith(route.path, made.get(thing) ?? ""), as(theirs));
    assert.ok(answer.status < 300, `${nameOf(route)} of one's own: ${answer.status} ${answer.text}`);
  }
});

test("a key of another account pays for nothing: chosen by its hash it is one that never was", async () => {
  const chat = { model: CHAT_MODEL, max_tokens: 20, messages: [{ role: "user", content: "Hello" }] };
  const takingKeys = ofMembers.filter(
    ({ path, method }) => method === "POST" && path.startsWith("/panel/api/playground/") && !path.endsWith("/files"),
  );
  assert.ok(takingKeys.length >= 6);
  for (const route of takingKeys) {
    const thing = thingOf(route);
    const [body, id] = thing === null ? [chat, ""] : [TASK, "shared" in thing ? thing.shared : assert.fail()];
    const sent = async (hash: string): Promise<Answer> =>
      ask("POST", pathWith(route.path, id), { ...cookieOf(ours.manager), "x-tollgate-key": hash }, body);
    const [foreign, never] = [faceOf(await sent(theirs.key.hash), theirs.key.hash), faceOf(await sent(neverOf("key")), neverOf("key"))];
    assert.equal((foreign as unknown[])[0], 404, nameOf(route));
    assert.deepEqual(foreign, never, nameOf(route));
    assert.ok((await sent(ours.key.hash)).status < 300, nameOf(route));
    const secret = await sent(ours.secret);
    assert.ok(secret.status >= 400 && !secret.text.includes(ours.secret), nameOf(route));
  }
});

test("ids of another account in queries and bodies find nothing and change nothing of it", { timeout: 200_000 }, async () => {
  for (const thing of ["request", "task", "file", "topUp", "alert", "key"] as const) {
    await world.make(thing, theirs);
    await world.make(thing, theirs);
    await world.make(thing, ours);
  }
  const theirKeys = (await theirs.owner.ask("GET", "keys")).text;
  const theirAlert = await world.make("alert", theirs);
  const asks = async (path: string): Promise<Answer> => ask("GET", `/panel/api/${path}`, cookieOf(ours.owner));
  for (const [path, foreign, never] of [
    ["requests?keyHash=", theirs.key.hash, neverOf("key")],
    ["requests.csv?keyHash=", theirs.key.hash, neverOf("key")],
    ["spend?by=day&keyHash=", theirs.key.hash, neverOf("key")],
    ["alerts/deliveries?alertId=", theirAlert, neverOf("alert")],
  ] as const) {
    assert.deepEqual(faceOf(await asks(path + foreign), foreign), faceOf(await asks(path + never), never), path);
  }
  const alert = (wish: object) => ours.owner.ask("POST", "alerts", { kind: "spend_day", threshold: "7", ...wish });
  for (const [foreign, never] of [
    [{ keyHash: theirs.key.hash }, { keyHash: neverOf("key") }],
    [
      { mailTo: "members", memberIds: [theirs.owner.memberId] },
      { mailTo: "members", memberIds: [neverOf("member")] },
    ],
  ] as const) {
    const [one, two] = [await alert(foreign), await alert(never)];
    assert.ok(one.status >= 400 && one.status < 500, `${one.status} ${one.text}`);
    assert.deepEqual(faceOf(one, JSON.stringify(Object.values(foreign))), faceOf(two, JSON.stringify(Object.values(never))));
  }
  // Whose it is, is never said by a body.
  const smuggled = await ours.owner.ask("POST", "keys", { name: "smuggled", accountId: theirs.accountId, account_id: theirs.accountId });
  assert.ok(smuggled.status === 201 || smuggled.status === 400, smuggled.text);
  await ours.viewer.ask("POST", "profile", {
    name: "x",
    role: "owner",
    operator: true,
    accountId: theirs.accountId,
    memberId: theirs.owner.memberId,
  });
  assert.match((await ours.viewer.ask("GET", "session")).text, /"role":"viewer".*"operator":false/);
  assert.equal((await theirs.owner.ask("GET", "keys")).text, theirKeys);
});

test(
  "no list goes on behind another account's place in it, and no answer holds anything of another account",
  { timeout: 200_000 },
  async () => {
    const things = ["session", "member", "invitation", "key", "request", "task", "file", "topUp", "alert"] as const;
    const [own, foreign] = [new Map<Thing, string>(), new Set<string>()];
    for (const thing of things) {
      own.set(thing, await world.make(thing, ours));
      foreign.add(await world.make(thing, theirs)).add(await world.make(thing, theirs));
    }
    for (const { email, memberId } of [theirs.owner, theirs.manager, theirs.viewer]) foreign.add(email).add(memberId);
    foreign.add(theirs.accountId).add(theirs.key.hash).add(theirs.key.mask);
    const reads = ROUTES.filter(
      (route) => route.method === "GET" && (route.access === "key" || (route.access === "member" && !isOperators(route))),
    );
    for (const route of reads) {
      const thing = thingOf(route);
      const id = thing === null ? "" : "owned" in thing ? (own.get(thing.owned) ?? "") : thing.shared;
      const as = (account: PanelAccount): Sent =>
        route.access === "key" ? { authorization: `Bearer ${account.secret}` } : cookieOf(account.owner);
      const targets = [pathWith(route.path, id)];
      if (route.access !== "raw" && route.query !== undefined && "cursor" in route.query.properties && !route.path.endsWith(".csv")) {
        const place = await ask("GET", `${route.path}?limit=1`, as(theirs));
        const cursor = /"(?:nextCursor|next_cursor|cursor|last_id)":"([^"]+)"/.exec(place.text)?.[1];
        const many = !["/panel/api/alerts/deliveries"].includes(route.path);
        if (many) assert.ok(cursor !== undefined, `${route.path} has no second page: ${place.text}`);
        if (cursor !== undefined) targets.push(`${route.path}?cursor=${encodeURIComponent(cursor)}`);
      }
      for (const target of targets) {
        const answer = await ask("GET", target, as(ours));
        assert.ok(answer.status < 500, `${target} ${answer.status}`);
        const found = [...foreign].filter((one) => answer.text.includes(one) && !target.includes(one));
        assert.deepEqual(found, [], target);
      }
    }
  },
);

test("logging in with what belongs to another, or with a hash, opens nothing", async () => {
  const rows = await world.database.db.query<{ hash: string }>(
    "SELECT password_hash::text AS hash FROM accounts.members WHERE member_id = $1",
    [ours.owner.memberId],
  );
  for (const password of [rows[0]?.hash ?? assert.fail(), ours.key.hash, ours.secret, PASSWORD.toUpperCase()]) {
    const answer = await openPanelBrowser(world.gateway.url).ask("POST", "log-in", {
      email: ours.owner.email,
      password: password.slice(0, 200),
    });
    assert.equal(answer.status, 401);
  }
});
