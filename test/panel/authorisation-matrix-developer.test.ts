/**
 * Protects: a developer reaches the routes that are listed here and no others, and by none of them
 * a colleague's key, request, task, file or spend, whether it names one or looks at everything.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { PanelKey, PanelKeyMade } from "../../src/contract/panel/panel-key.ts";
import type { RequestTotals } from "../../src/contract/panel/request-totals.ts";
import type { Spend } from "../../src/contract/panel/spend.ts";
import type { Usage } from "../../src/contract/panel/usage.ts";
import type { Route } from "../../src/http/route.ts";
import {
  askRoute,
  cookieOf,
  faceOf,
  type RouteAnswer,
  type SentHeaders,
} from "../support/ask-route.ts";
import {
  openPanelWorld,
  TASK,
  type PanelAccount,
  type PanelWorld,
} from "../support/panel-things.ts";
import type { PanelPerson } from "../support/panel-session.ts";
import {
  CHAT_MODEL,
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
import { until } from "../support/until.ts";

/** What looks at all that there is, in every way that it can be asked for. */
const LOOKS = [
  "keys",
  "keys?deleted=true",
  "requests",
  "requests?kind=task",
  "requests?order=charged&from={from}&to={to}",
  "requests?order=duration&from={from}&to={to}",
  "requests?chargedFrom=0",
  "requests?durationFromMs=0&order=charged&from={from}&to={to}",
  "requests.csv",
  "requests.csv?chargedFrom=0",
  "requests/totals",
  "requests/totals?from={from}&to={to}",
  "requests/totals?chargedFrom=0",
  "spend",
  "spend?by=key",
  "spend?by=model",
  "spend?by=group",
  "spend?by=member",
  "usage",
  "usage?by=key",
  "usage?by=kind",
  "usage?by=member",
  "usage?by=group&figure=requests",
  "usage?range=24h&by=key",
  "models",
  "models/status",
  "account/block",
  "session",
  "sessions",
  "passkeys",
  "visitor",
  "installation",
] as const;

/** Those that take a key. */
const BY_KEY = ["requests?", "requests/totals?", "requests.csv?", "spend?by=day&", "usage?"];

/** The others that a developer reaches: each names what it is about, or is about itself. */
const OTHERS = [
  "DELETE keys/{hash}",
  "DELETE members/{id}",
  "DELETE passkeys/{id}",
  "DELETE sessions",
  "DELETE sessions/{id}",
  "GET keys/{hash}",
  "GET requests/{id}",
  "GET tasks/{id}",
  "GET tasks/{id}/events",
  "POST keys",
  "POST keys/{hash}",
  "POST keys/{hash}/freeze",
  "POST keys/{hash}/roll",
  "POST keys/{hash}/unfreeze",
  "POST log-in/totp",
  "POST log-out",
  "POST passkeys",
  "POST passkeys/begin",
  "POST password",
  "POST playground/files",
  "POST profile",
  "POST quote/tasks/{model}",
  "POST tasks/{id}/cancel",
  "POST totp/begin",
  "POST totp/confirm",
  "POST totp/disable",
];

const REACHED = ["developer", "keyholder", "enrolling", "unfinished"];
const ofMembers = routeTable().filter((route) => ![null, "key"].includes(needsOf(route)));
const reached = ofMembers.filter((route) => REACHED.includes(needsOf(route) ?? ""));
const shortName = (route: Route): string => nameOf(route).replace("/panel/api/", "");
/** Where a key is chosen that pays. */
const paid = reached.filter(
  ({ method, path }) =>
    method === "POST" && path.startsWith("/panel/api/playground/") && !path.endsWith("/files"),
);

const BODIES: Readonly<Record<string, unknown>> = {
  "POST keys/{hash}": { name: "renamed" },
  "POST keys/{hash}/roll": { overlapHours: 1 },
};
const CHAT = { model: CHAT_MODEL, max_tokens: 20, messages: [{ role: "user", content: "Hello" }] };

let world: PanelWorld;
let account: PanelAccount;
let developer: PanelPerson;
/** Of the account, but not the developer's: by what each is recognised wherever it is shown. */
const foreign = new Map<Thing, string>();
const theirs: string[] = [];
before(async () => {
  world = await openPanelWorld();
  account = await world.newAccount();
  developer = await world.join(account.owner, "developer");
  for (const thing of [
    "key",
    "request",
    "task",
    "file",
    "batch",
    "batchFile",
    "response",
    "group",
    "alert",
    "topUp",
    "invitation",
    "session",
    "passkey",
    "member",
  ] as const)
    foreign.set(thing, await world.make(thing, account));
  const people = [account.owner, account.manager, account.viewer];
  const { hash, mask } = account.key;
  theirs.push(hash, mask, ...foreign.values());
  theirs.push(...people.flatMap(({ memberId, email }) => [memberId, email]));
  foreign.set("key", hash);
  for (const path of ["requests", "requests?kind=task", "spend?by=key"])
    await until(`${path} has what was just made`, async () =>
      (await account.owner.ask("GET", path)).text.includes(hash),
    );
});
after(() => world[Symbol.asyncDispose]());

const ask = (
  method: string,
  path: string,
  headers: SentHeaders = cookieOf(developer),
  body?: unknown,
): Promise<RouteAnswer> => askRoute(world.gateway.url, method, path, headers, body);

function look(path: string, headers?: SentHeaders): Promise<RouteAnswer> {
  const hour = 3_600_000;
  const at = (ms: number): string => new Date(Date.now() + ms).toISOString();
  const asked = path.replace("{from}", at(-20 * hour)).replace("{to}", at(hour));
  return ask("GET", `/panel/api/${asked}`, headers);
}

async function assertHidden(thing: Thing, route: Route, id: string): Promise<void> {
  const faces = [];
  for (const one of [id, neverOf(thing)]) {
    const body = BODIES[shortName(route)] ?? {};
    faces.push(faceOf(await ask(route.method, pathWith(route.path, one), undefined, body), one));
  }
  assert.deepEqual([nameOf(route), (faces[0] as unknown[])[0]], [nameOf(route), 404]);
  assert.deepEqual(faces[0], faces[1], nameOf(route));
}

test("what a developer reaches is listed: a route that is opened to it is to be looked through here", () => {
  const listed = new Set([
    ...LOOKS.map((path) => `GET ${path.split("?")[0]}`),
    ...OTHERS,
    ...paid.map(shortName),
  ]);
  const unlisted = reached.map(shortName).filter((name) => !listed.has(name));
  assert.deepEqual(unlisted, []);
  const open = [...listed].filter((name) => !reached.map(shortName).includes(name));
  assert.deepEqual(open.toSorted(), ["GET installation", "GET visitor"], "of everybody");
});

test("whatever it looks at has nothing of its colleagues: no id, no mask, no figure", async () => {
  const shown = new Set<string>();
  for (const path of LOOKS) {
    const { status, text } = await look(path);
    assert.equal(status, 200, `${path} ${text}`);
    assert.deepEqual(
      theirs.filter((one) => text.includes(one)),
      [],
      path,
    );
    const owners = (await look(path, cookieOf(account.owner))).text;
    for (const one of theirs) if (owners.includes(one)) shown.add(one);
  }
  for (const one of [account.key.hash, foreign.get("request"), foreign.get("task")])
    assert.ok(shown.has(one ?? ""), "the owner is shown it");
  const figures = async (person: PanelPerson): Promise<readonly string[]> => [
    (await person.ask("GET", "spend?by=model")).json<Spend>().total.charged,
    (await person.ask("GET", "requests/totals")).json<RequestTotals>().charged,
    (await person.ask("GET", "usage?by=model")).json<Usage>().total.charged,
  ];
  assert.deepEqual(await figures(developer), ["0", "0", "0"]);
  assert.ok((await figures(account.owner)).every((figure) => figure !== "0"));
});

test("a colleague's id is one that never was, wherever it stands; its own works", async () => {
  const { secret, key } = (
    await developer.ask("POST", "keys", { name: "my own" })
  ).json<PanelKeyMade>();
  const own = { ...account, secret };
  const mine = new Map<Thing, string>([["key", key.hash]]);
  for (const thing of ["request", "task"] as const) mine.set(thing, await world.make(thing, own));
  for (const path of ["requests", "spend?by=key"])
    await until(`${path} has what was just made`, async () =>
      (await developer.ask("GET", path)).text.includes(key.hash),
    );
  const routes = ownedRoutes(reached);
  assert.ok(routes.length >= 12);
  for (const { route, thing } of routes)
    await assertHidden(thing, route, foreign.get(thing) ?? assert.fail(thing));
  for (const path of BY_KEY) {
    const { hash } = account.key;
    assert.deepEqual(
      faceOf(await look(`${path}keyHash=${hash}`), hash),
      faceOf(await look(`${path}keyHash=${neverOf("key")}`), neverOf("key")),
      path,
    );
    assert.equal((await look(`${path}keyHash=${key.hash}`)).status, 200, path);
  }
  // With something of its own, too, it is shown nothing of the others.
  for (const path of LOOKS) {
    const { text } = await look(path);
    assert.deepEqual(
      theirs.filter((one) => text.includes(one)),
      [],
      path,
    );
  }
  for (const path of ["keys", "requests", "spend?by=key", "usage?by=key"])
    assert.match((await look(path)).text, new RegExp(key.hash), path);
  assert.match((await look("spend?by=member")).text, new RegExp(developer.memberId));
  const totals = (await developer.ask("GET", "requests/totals")).json<RequestTotals>();
  const { total } = (await developer.ask("GET", "spend?by=day")).json<Spend>();
  assert.equal(totals.charged, total.charged);
  assert.notEqual(total.charged, "0");
  for (const { route, thing } of routes) {
    const id = mine.get(thing);
    if (id === undefined || route.method === "DELETE") continue;
    const body = BODIES[shortName(route)] ?? {};
    const answer = await ask(route.method, pathWith(route.path, id), undefined, body);
    assert.ok(answer.status < 300 || answer.status === 409, `${nameOf(route)} ${answer.text}`);
  }
  assert.equal(
    (await account.owner.ask("GET", `keys/${account.key.hash}`)).json<PanelKey>().state,
    "active",
  );
});

test("a colleague's key pays for nothing: chosen by its hash it is one that never was", async () => {
  const { key } = (await developer.ask("POST", "keys", { name: "to pay" })).json<PanelKeyMade>();
  assert.ok(paid.length >= 26);
  const calls = Object.entries(await playgroundBodies());
  for (const route of paid) {
    const call = calls.find(([end]) => route.path.endsWith(end))?.[1];
    const ofChat = route.path.endsWith("/responses") ? { model: CHAT_MODEL, input: "Hello" } : CHAT;
    const thing = thingOf(route);
    const [body, id] =
      thing === null ? [call ?? ofChat, ""] : [TASK, "shared" in thing ? thing.shared : ""];
    const sent = (hash: string): Promise<RouteAnswer> => {
      const headers = { ...cookieOf(developer), "x-tollgate-key": hash };
      return ask("POST", pathWith(route.path, id), headers, body);
    };
    const { hash } = account.key;
    const hidden = faceOf(await sent(hash), hash);
    assert.equal((hidden as unknown[])[0], 404, nameOf(route));
    assert.deepEqual(hidden, faceOf(await sent(neverOf("key")), neverOf("key")), nameOf(route));
    assert.ok((await sent(key.hash)).status < 300, nameOf(route));
  }
});

test("kept answers of the account are as those that never were, its colleagues' ids with them", async () => {
  const { key } = (await developer.ask("POST", "keys", { name: "to ask" })).json<PanelKeyMade>();
  const sent = async (
    person: PanelPerson,
    hash: string,
    path: string,
    wish: object,
  ): Promise<RouteAnswer> => {
    const headers = { ...cookieOf(person), "x-tollgate-key": hash };
    const body = { model: CHAT_MODEL, input: "And?", ...wish };
    return ask("POST", `/panel/api/playground/${path}`, headers, body);
  };
  const id = foreign.get("response") ?? "";
  const [row] = await world.database.db.query<{ id: string }>(
    "SELECT item_id AS id FROM responses.items WHERE response_id = $1 LIMIT 1",
    [id],
  );
  const item = row?.id ?? assert.fail("the answer has an item");
  const reference = (of: string) => ({ input: [{ type: "item_reference", id: of }] });
  for (const path of ["responses", "quote/responses"])
    for (const [theirId, never, wish] of [
      [id, neverOf("response"), (of: string) => ({ previous_response_id: of })],
      [item, item.replaceAll(/[0-9a-f]{8}/g, "0".repeat(8)), reference],
    ] as const) {
      const [hidden, unknown] = [
        faceOf(await sent(developer, key.hash, path, wish(theirId)), theirId),
        faceOf(await sent(developer, key.hash, path, wish(never)), never),
      ];
      // As OpenAI does: 400 for an answer that is not there, 404 for an item.
      assert.ok([400, 404].includes(Number((hidden as unknown[])[0])), path);
      assert.deepEqual(hidden, unknown, path);
      const owners = await sent(account.owner, account.key.hash, path, wish(theirId));
      assert.ok(owners.status < 300, `${path} ${owners.text}`);
    }
});

test("it gives nothing away, puts nothing into groups, and makes keys for itself alone", async () => {
  const { key } = (await developer.ask("POST", "keys", { name: "kept" })).json<PanelKeyMade>();
  const group = foreign.get("group");
  for (const [path, wish] of [
    [`keys/${key.hash}`, { owner: null }],
    [`keys/${key.hash}`, { owner: account.owner.memberId }],
    [`keys/${key.hash}`, { group }],
    [`keys/${key.hash}`, { group: null }],
    ["keys", { name: "x", owner: null }],
    ["keys", { name: "x", owner: account.owner.memberId }],
    ["keys", { name: "x", group }],
  ] as const)
    assert.equal((await developer.ask("POST", path, wish)).status, 403, JSON.stringify(wish));
});
