/**
 * Protects (hazards §218): a GET changes nothing, at every route, with every word that its query
 * takes; nor does any other spelling.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Gateway } from "../support/gateway-process.ts";
import {
  neverOf,
  ownedBy,
  pathWith,
  routeTable,
  thingOf,
  type Thing,
} from "../support/panel-routes.ts";
import {
  digestDatabase,
  openPanelWorld,
  TOUCHED_BY_LOOKING,
  type PanelAccount,
  type PanelWorld,
} from "../support/panel-things.ts";

/** Words for a query's field by its name; a field that is not here is left out. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  reconcile: ["true"],
  deleted: ["true"],
  holds: ["true"],
  limit: ["1"],
  by: ["day", "key", "model", "upstream", "member"],
  action: ["key.create"],
  window: ["24h"],
  upstream: ["sandbox-chat"],
  sort: ["spent", "balance", "seen"],
  tag: ["vip"],
  state: ["completed", "blocked"],
  from: ["2026-11-01", "2026-11-01T00:00:00Z"],
  to: ["2026-11-02", "2026-11-02T00:00:00Z"],
  search: ["a"],
  wait: ["true", "1"],
};

const READS = routeTable().filter(({ method }) => method === "GET");

let world: PanelWorld;
let account: PanelAccount;
let quiet: Gateway;
const made = new Map<Thing, string>();
before(async () => {
  world = await openPanelWorld();
  account = await world.newAccount();
  for (const thing of ownedBy(READS)) made.set(thing, await world.make(thing, account));
  const { memberId } = account.owner;
  await world.database.db.query(
    "UPDATE accounts.members SET operator = true WHERE member_id = $1",
    [memberId],
  );
  // So that what a look renews would be renewed.
  await world.database.db.query(
    "UPDATE accounts.sessions SET seen_at = seen_at - interval '1 hour'",
  );
  quiet = await world.startQuiet();
  await world.gateway.stop();
});
after(() => world[Symbol.asyncDispose]());

async function ask(
  method: string,
  target: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const ofKeys = target.startsWith("/v1");
  const own = ofKeys
    ? { authorization: `Bearer ${account.secret}` }
    : { cookie: account.owner.cookie ?? "", origin: quiet.url };
  const response = await fetch(`${quiet.url}${target}`, {
    method,
    redirect: "manual",
    headers: { ...own, ...headers },
  });
  await response.arrayBuffer();
  return response.status;
}

function idFor(route: ReturnType<typeof routeTable>[number]): string {
  const thing = thingOf(route);
  if (thing === null) return "";
  return "owned" in thing ? (made.get(thing.owned) ?? neverOf(thing.owned)) : thing.shared;
}

test(
  "GET and HEAD of every route, with all that its query takes, leave every row of every table as it was",
  { timeout: 300_000 },
  async () => {
    const before = await digestDatabase(world.database, TOUCHED_BY_LOOKING);
    assert.ok(READS.length > 55);
    const odd: string[] = [];
    let successes = 0;
    for (const route of READS) {
      const query = route.access === "raw" ? undefined : route.query;
      const needed = (query?.required ?? []).map(
        (name) => `${name}=${WORDS[name]?.[0] ?? assert.fail(`${route.path}: ${name}`)}`,
      );
      const path = `${pathWith(route.path, idFor(route))}?${needed.join("&")}`;
      const words = Object.keys(query?.properties ?? {}).flatMap((name) =>
        (WORDS[name] ?? []).map((word) => `&${name}=${word}`),
      );
      for (const target of [path, ...words.map((more) => path + more)]) {
        for (const method of ["GET", "HEAD"]) {
          const status = await ask(method, target);
          if (status < 300) successes += 1;
          // Pages and files for everybody are not all there; whatever else fails was not looked at.
          if (status >= 500 || (target === path && status >= 400 && route.access !== "open"))
            odd.push(`${method} ${target} ${status}`);
        }
      }
    }
    assert.deepEqual(odd, []);
    assert.ok(successes > 150, String(successes));
    const after = await digestDatabase(world.database, TOUCHED_BY_LOOKING);
    assert.deepEqual([...after], [...before]);
  },
);

test(
  "a route that changes something is not reached by GET, nor by a method that is named in a header or a query",
  { timeout: 300_000 },
  async () => {
    const before = await digestDatabase(world.database, TOUCHED_BY_LOOKING);
    const table = routeTable();
    // The same path may have a GET of its own, and a parameter may stand where another path has a
    // word.
    const readable = new Set(
      table
        .filter(({ method }) => method === "GET")
        .map(({ path }) => path.replaceAll(/\{\w+\}/g, "{}")),
    );
    for (const route of table.filter(({ method }) => method !== "GET")) {
      const path = pathWith(route.path, idFor(route));
      for (const [target, headers] of [
        [path, {}],
        [
          path,
          {
            "x-http-method-override": route.method,
            "x-method-override": route.method,
            "x-http-method": route.method,
          },
        ],
        [`${path}?_method=${route.method}`, {}],
      ] as const) {
        const status = await ask("GET", target, headers);
        const own = readable.has(route.path.replaceAll(/\{\w+\}/g, "{}"));
        assert.ok(own ? status < 500 : [404, 405].includes(status), `GET ${target} ${status}`);
      }
    }
    assert.deepEqual([...(await digestDatabase(world.database, TOUCHED_BY_LOOKING))], [...before]);
  },
);
