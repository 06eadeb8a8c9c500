/**
 * Protects (hazards §206, §215): of another account's things every route answers as of what never
 * was, wherever their ids stand, and does nothing to them.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Route } from "../../src/http/route.ts";
import {
  askRoute,
  codeOf,
  cookieOf,
  faceOf,
  type RouteAnswer,
  type SentHeaders,
} from "../support/ask-route.ts";
import {
  CHAT_MODEL,
  isOperators,
  nameOf,
  needsOf,
  neverOf,
  ownedRoutes,
  pathWith,
  routeTable,
  thingOf,
  type Thing,
} from "../support/panel-routes.ts";
import { playgroundBodies } from "../support/playground-bodies.ts";
import {
  openPanelWorld,
  TASK,
  type PanelAccount,
  type PanelWorld,
} from "../support/panel-things.ts";

const ROUTES = routeTable();
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

const ask = (
  method: string,
  path: string,
  headers: SentHeaders,
  body?: unknown,
): Promise<RouteAnswer> => askRoute(world.gateway.url, method, path, headers, body);

/**
 * Bodies that are accepted, by route: with them a route comes to what it is for. A route that takes
 * one and is not here fails.
 */
const BODIES: Readonly<Record<string, unknown>> = {
  "POST /panel/api/members/{id}/role": { role: "manager" },
  "POST /panel/api/members/{id}/group": { group: null },
  "POST /panel/api/keys/{hash}": { name: "renamed" },
  "POST /panel/api/groups/{id}": { name: "renamed" },
  "POST /panel/api/keys/{hash}/roll": { overlapHours: 1 },
  "POST /panel/api/alerts/{id}": { threshold: "8" },
  "POST /panel/api/operator/accounts/{id}/credit": { amount: "1", reason: "a test", ref: "a-test" },
  "POST /panel/api/operator/accounts/{id}/adjust": { amount: "1", reason: "a test" },
  "POST /panel/api/operator/accounts/{id}/block": { reason: "a test" },
  "POST /panel/api/operator/accounts/{id}/unblock": { reason: "a test" },
  "POST /panel/api/operator/accounts/{id}/limits": { requestsPerMinute: null },
  "POST /panel/api/operator/accounts/{id}/notes": { note: "a test", tags: ["test"] },
  "POST /panel/api/operator/payments/{id}/refunds": {
    amount: "1",
    left: "1",
    reason: "a test",
    ref: "a-test",
  },
  "POST /panel/api/operator/tasks/{id}/retry": {},
  "POST /panel/api/operator/tasks/{id}/fail": { reason: "a test" },
};

/**
 * What the owner of a thing is told where that is not a success: the thing is its own, and this
 * cannot be done with it.
 */
const REPORTED_TO_OWNER: Readonly<Record<string, number>> = {
  // It is over, so there is nothing to end.
  "POST /panel/api/operator/tasks/{id}/fail": 409,
  // It is not paid yet.
  "POST /panel/api/operator/payments/{id}/refunds": 409,
  "POST /panel/api/batches/{id}/cancel": 409,
  "POST /v1/batches/{id}/cancel": 409,
  "POST /v1/messages/batches/{id}/cancel": 409,
};

function bodyOf(route: Route): unknown {
  if (route.access !== "raw" && route.doc.requestBody === undefined) return {};
  return BODIES[nameOf(route)] ?? assert.fail(`${nameOf(route)}: give it a body that it accepts`);
}

test(
  "another account's id is answered as one that never was, byte for byte, and does nothing; one's own works",
  { timeout: 400_000 },
  async () => {
    const routes = ownedRoutes(ofMembers).filter(({ route }) => !isOperators(route));
    const headers = cookieOf(ours.owner);
    assert.ok(routes.length >= 20);
    const made = new Map<Thing, string>();
    for (const { thing } of routes)
      if (!made.has(thing)) made.set(thing, await world.make(thing, theirs));
    for (const { route, thing } of routes) {
      const [foreign, never] = [made.get(thing) ?? "", neverOf(thing)];
      const answers = new Map<string, unknown>();
      for (const id of [never, foreign]) {
        const answer = await ask(route.method, pathWith(route.path, id), headers, bodyOf(route));
        assert.deepEqual([nameOf(route), answer.status], [nameOf(route), 404]);
        answers.set(id, faceOf(answer, id));
      }
      assert.deepEqual(answers.get(foreign), answers.get(never), nameOf(route));
      // Letters that are not of the id's form, and what tries to leave the folder, are not there
      // either.
      for (const odd of ["x", "..", "%00", "' OR 1=1 --", `${foreign}x`, "a".repeat(3000)]) {
        const { status } = await ask(
          route.method,
          pathWith(route.path, odd),
          headers,
          bodyOf(route),
        );
        assert.ok(
          [400, 404, 405, 414].includes(status),
          `${nameOf(route)} ${odd.slice(0, 40)} ${status}`,
        );
      }
    }
    // The owner still has them all, unchanged: by each route, which ends them last.
    const later = routes.toSorted(
      (a, b) => Number(a.route.method === "DELETE") - Number(b.route.method === "DELETE"),
    );
    for (const { route, thing } of later) {
      const answer = await ask(
        route.method,
        pathWith(route.path, made.get(thing) ?? ""),
        cookieOf(theirs.owner),
        bodyOf(route),
      );
      const expected = REPORTED_TO_OWNER[nameOf(route)];
      assert.ok(
        expected === undefined ? answer.status < 300 : answer.status === expected,
        `${nameOf(route)} of one's own: ${answer.status} ${answer.text}`,
      );
    }
  },
);

test(
  "what was deleted is answered as what never was, to its own account as to another",
  { timeout: 400_000 },
  async () => {
    const routes = ownedRoutes(ofMembers).filter(({ route }) => !isOperators(route));
    const deleting = routes.filter(({ route }) => route.method === "DELETE");
    assert.deepEqual(deleting.map(({ thing }) => thing).toSorted(), [
      "alert",
      "file",
      "group",
      "invitation",
      "key",
      "member",
      "passkey",
      "session",
    ]);
    for (const { route: end, thing } of deleting) {
      const id = await world.make(thing, ours);
      assert.ok((await ask("DELETE", pathWith(end.path, id), cookieOf(ours.owner))).status < 300);
      for (const { route } of routes.filter((one) => one.thing === thing)) {
        for (const person of [ours.owner, theirs.owner]) {
          const [answer, never] = await Promise.all(
            [id, neverOf(thing)].map(async (one) =>
              faceOf(
                await ask(route.method, pathWith(route.path, one), cookieOf(person), bodyOf(route)),
                one,
              ),
            ),
          );
          // Its own account still looks up what a deleted key or group spent, and is told that it
          // was deleted.
          if ((thing === "key" || thing === "group") && person === ours.owner)
            assert.ok([200, 404, 409].includes(Number((answer as unknown[])[0])), nameOf(route));
          else assert.deepEqual(answer, never, nameOf(route));
        }
      }
    }
  },
);

test("a session belongs to its member: a colleague of whatever role finds it as little as a stranger", async () => {
  const id = await world.make("session", ours);
  for (const person of [ours.manager, ours.viewer, theirs.owner]) {
    const [theirsOf, never] = await Promise.all(
      [id, neverOf("session")].map(async (one) =>
        faceOf(await ask("DELETE", `/panel/api/sessions/${one}`, cookieOf(person)), one),
      ),
    );
    assert.deepEqual(theirsOf, never);
  }
  assert.match((await ours.owner.ask("GET", "sessions")).text, new RegExp(id));
});

test(
  "operators act on whatever account is named, and find nothing where there is nothing",
  { timeout: 400_000 },
  async () => {
    const operator = await world.join(ours.owner, "viewer");
    await world.database.db.query(
      "UPDATE accounts.members SET operator = true WHERE member_id = $1",
      [operator.memberId],
    );
    const routes = ownedRoutes(ofMembers).filter(({ route }) => isOperators(route));
    assert.ok(routes.length >= 8);
    const other = await world.newAccount();
    for (const { route, thing } of routes) {
      const never = await ask(
        route.method,
        pathWith(route.path, neverOf(thing)),
        cookieOf(operator),
        bodyOf(route),
      );
      assert.deepEqual(
        [nameOf(route), never.status, codeOf(never)],
        [nameOf(route), 404, "not_found"],
      );
      const id = thing === "account" ? other.accountId : await world.make(thing, theirs);
      const answer = await ask(
        route.method,
        pathWith(route.path, id),
        cookieOf(operator),
        bodyOf(route),
      );
      const expected = REPORTED_TO_OWNER[nameOf(route)];
      assert.ok(
        expected === undefined ? answer.status < 300 : answer.status === expected,
        `${nameOf(route)}: ${answer.status} ${answer.text}`,
      );
    }
  },
);

test(
  "the API answers another account's ids as those that never were; one's own work",
  { timeout: 200_000 },
  async () => {
    const routes = ownedRoutes(ofKeys);
    assert.ok(routes.length >= 6);
    const made = new Map<Thing, string>();
    for (const { thing } of routes)
      if (!made.has(thing)) made.set(thing, await world.make(thing, theirs));
    const as = (account: PanelAccount): SentHeaders => ({
      authorization: `Bearer ${account.secret}`,
    });
    for (const { route, thing } of routes) {
      const [foreign, never] = await Promise.all(
        [made.get(thing) ?? "", neverOf(thing)].map(async (id) =>
          faceOf(await ask(route.method, pathWith(route.path, id), as(ours)), id),
        ),
      );
      assert.equal((foreign as unknown[])[0], 404, nameOf(route));
      assert.deepEqual(foreign, never, nameOf(route));
    }
    const later = routes.toSorted(
      (a, b) => Number(a.route.method === "DELETE") - Number(b.route.method === "DELETE"),
    );
    for (const { route, thing } of later) {
      const answer = await ask(
        route.method,
        pathWith(route.path, made.get(thing) ?? ""),
        as(theirs),
      );
      assert.ok(
        answer.status < 300 || answer.status === REPORTED_TO_OWNER[nameOf(route)],
        `${nameOf(route)} of one's own: ${answer.status} ${answer.text}`,
      );
    }
  },
);

test("a key of another account pays for nothing: chosen by its hash it is one that never was", async () => {
  const chat = {
    model: CHAT_MODEL,
    max_tokens: 20,
    messages: [{ role: "user", content: "Hello" }],
  };
  const takingKeys = ofMembers.filter(
    ({ path, method }) =>
      method === "POST" && path.startsWith("/panel/api/playground/") && !path.endsWith("/files"),
  );
  assert.ok(takingKeys.length >= 26);
  const calls = Object.entries(await playgroundBodies());
  for (const route of takingKeys) {
    const thing = thingOf(route);
    const call = calls.find(([end]) => route.path.endsWith(end))?.[1];
    const ofChat = route.path.endsWith("/responses") ? { model: CHAT_MODEL, input: "Hello" } : chat;
    const asked = call ?? ofChat;
    const [body, id] =
      thing === null ? [asked, ""] : [TASK, "shared" in thing ? thing.shared : assert.fail()];
    const sent = async (hash: string): Promise<RouteAnswer> =>
      ask(
        "POST",
        pathWith(route.path, id),
        { ...cookieOf(ours.manager), "x-tollgate-key": hash },
        body,
      );
    const [foreign, never] = [
      faceOf(await sent(theirs.key.hash), theirs.key.hash),
      faceOf(await sent(neverOf("key")), neverOf("key")),
    ];
    assert.equal((foreign as unknown[])[0], 404, nameOf(route));
    assert.deepEqual(foreign, never, nameOf(route));
    assert.ok((await sent(ours.key.hash)).status < 300, nameOf(route));
    const secret = await sent(ours.secret);
    assert.ok(secret.status >= 400 && !secret.text.includes(ours.secret), nameOf(route));
  }
});

test(
  "ids of another account in queries and bodies find nothing and change nothing of it",
  { timeout: 200_000 },
  async () => {
    for (const thing of ["request", "task", "file", "topUp", "alert", "key"] as const) {
      await world.make(thing, theirs);
      await world.make(thing, theirs);
      await world.make(thing, ours);
    }
    const theirKeys = (await theirs.owner.ask("GET", "keys")).text;
    const theirAlert = await world.make("alert", theirs);
    const asks = async (path: string): Promise<RouteAnswer> =>
      ask("GET", `/panel/api/${path}`, cookieOf(ours.owner));
    for (const [path, foreign, never] of [
      ["requests?keyHash=", theirs.key.hash, neverOf("key")],
      ["requests.csv?keyHash=", theirs.key.hash, neverOf("key")],
      ["spend?by=day&keyHash=", theirs.key.hash, neverOf("key")],
      ["usage?by=key&keyHash=", theirs.key.hash, neverOf("key")],
      ["requests/totals?keyHash=", theirs.key.hash, neverOf("key")],
      ["alerts/deliveries?alertId=", theirAlert, neverOf("alert")],
    ] as const) {
      assert.deepEqual(
        faceOf(await asks(path + foreign), foreign),
        faceOf(await asks(path + never), never),
        path,
      );
    }
    const alert = (wish: object) =>
      ours.owner.ask("POST", "alerts", { kind: "spend_day", threshold: "7", ...wish });
    for (const [foreign, never] of [
      [{ keyHash: theirs.key.hash }, { keyHash: neverOf("key") }],
      [
        { mailTo: "members", memberIds: [theirs.owner.memberId] },
        { mailTo: "members", memberIds: [neverOf("member")] },
      ],
    ] as const) {
      const [one, two] = [await alert(foreign), await alert(never)];
      assert.ok(one.status >= 400 && one.status < 500, `${one.status} ${one.text}`);
      assert.deepEqual(
        faceOf(one, JSON.stringify(Object.values(foreign))),
        faceOf(two, JSON.stringify(Object.values(never))),
      );
    }
    // Whose it is, is never said by a body.
    const smuggled = await ours.owner.ask("POST", "keys", {
      name: "smuggled",
      accountId: theirs.accountId,
      account_id: theirs.accountId,
    });
    assert.ok(smuggled.status === 201 || smuggled.status === 400, smuggled.text);
    await ours.viewer.ask("POST", "profile", {
      name: "x",
      role: "owner",
      operator: true,
      accountId: theirs.accountId,
      memberId: theirs.owner.memberId,
    });
    assert.match(
      (await ours.viewer.ask("GET", "session")).text,
      /"role":"viewer".*"operator":false/,
    );
    assert.equal((await theirs.owner.ask("GET", "keys")).text, theirKeys);
  },
);

test(
  "no list goes on behind another account's place in it, and no answer holds anything of another account",
  { timeout: 200_000 },
  async () => {
    const things = [
      "session",
      "passkey",
      "member",
      "invitation",
      "key",
      "request",
      "task",
      "file",
      "response",
      "topUp",
      "alert",
    ] as const;
    const [own, foreign] = [new Map<Thing, string>(), new Set<string>()];
    for (const thing of things) {
      own.set(thing, await world.make(thing, ours));
      foreign.add(await world.make(thing, theirs)).add(await world.make(thing, theirs));
    }
    for (const { email, memberId } of [theirs.owner, theirs.manager, theirs.viewer])
      foreign.add(email).add(memberId);
    foreign.add(theirs.accountId).add(theirs.key.hash).add(theirs.key.mask);
    const reads = ROUTES.filter(
      (route) =>
        route.method === "GET" &&
        (route.access === "key" || (route.access === "member" && !isOperators(route))),
    );
    for (const route of reads) {
      const thing = thingOf(route);
      const id =
        thing === null ? "" : "owned" in thing ? (own.get(thing.owned) ?? "") : thing.shared;
      const as = (account: PanelAccount): SentHeaders =>
        route.access === "key"
          ? { authorization: `Bearer ${account.secret}` }
          : cookieOf(account.owner);
      const targets = [pathWith(route.path, id)];
      if (
        route.access !== "raw" &&
        route.query !== undefined &&
        "cursor" in route.query.properties &&
        !route.path.endsWith(".csv")
      ) {
        const place = await ask("GET", `${route.path}?limit=1`, as(theirs));
        const cursor = /"(?:nextCursor|next_cursor|cursor|last_id)":"([^"]+)"/.exec(
          place.text,
        )?.[1];
        // An account that is minutes old has one day in its books.
        const many = !["/panel/api/alerts/deliveries", "/panel/api/ledger/days"].includes(
          route.path,
        );
        if (many)
          assert.ok(cursor !== undefined, `${route.path} has no second page: ${place.text}`);
        if (cursor !== undefined)
          targets.push(`${route.path}?cursor=${encodeURIComponent(cursor)}`);
      }
      for (const target of targets) {
        const answer = await ask("GET", target, as(ours));
        assert.ok(answer.status < 500, `${target} ${answer.status}`);
        const found = [...foreign].filter(
          (one) => answer.text.includes(one) && !target.includes(one),
        );
        assert.deepEqual(found, [], target);
      }
    }
  },
);
