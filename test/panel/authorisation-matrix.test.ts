/**
 * Protects (hazards §206): every route of the table answers whom it declares to answer, and no
 * other caller, whatever they bring.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { MemberNeeds } from "../../src/http/panel/member-access.ts";
import {
  askRoute,
  codeOf,
  cookieOf,
  type RouteAnswer,
  type SentHeaders,
} from "../support/ask-route.ts";
import {
  nameOf,
  needsOf,
  neverOf,
  pathWith,
  routeTable,
  thingOf,
} from "../support/panel-routes.ts";
import { openPanelBrowser, PASSWORD } from "../support/panel-session.ts";
import { openPanelWorld, type PanelAccount, type PanelWorld } from "../support/panel-things.ts";

const ROUTES = routeTable();
const ofMembers = ROUTES.filter((route) => ![null, "key"].includes(needsOf(route)));
const ofKeys = ROUTES.filter((route) => needsOf(route) === "key");
const NOTHING_HERE = "There is nothing at this path";

let world: PanelWorld;
let ours: PanelAccount;
before(async () => {
  world = await openPanelWorld();
  ours = await world.newAccount();
});
after(() => world[Symbol.asyncDispose]());

const ask = (
  method: string,
  path: string,
  headers: SentHeaders,
  body?: unknown,
): Promise<RouteAnswer> => askRoute(world.gateway.url, method, path, headers, body);

/** The status and code with which the route refuses; null: it goes on to do what it is for. */
function refusalOf(
  needs: MemberNeeds,
  caller:
    | "stranger"
    | "unfinished"
    | "enrolling"
    | "developer"
    | "viewer"
    | "manager"
    | "owner"
    | "operator",
): string | null {
  if (caller === "stranger") return "401 session_required";
  if (needs === "unfinished") return null;
  if (caller === "enrolling" && needs === "enrolling") return null;
  if (caller === "unfinished" || caller === "enrolling") return "403 login_unfinished";
  if (needs === "enrolling") return null;
  if (needs === "operator") return caller === "operator" ? null : "404 not_found";
  const ladder = ["developer", "viewer", "manager", "owner"];
  const standing = caller === "operator" ? "viewer" : caller;
  if (needs === "keyholder") return standing === "viewer" ? "403 permission_denied" : null;
  return ladder.indexOf(standing) < ladder.indexOf(needs) ? "403 permission_denied" : null;
}

/** Every session as it was: a route under test may have ended it. */
async function restoreSessions(): Promise<void> {
  await world.database.db.query(
    "INSERT INTO accounts.sessions SELECT * FROM sessions_kept ON CONFLICT DO NOTHING",
  );
}

test(
  "every route of the panel lets in whom it declares to let in, and no other caller",
  { timeout: 400_000 },
  async () => {
    const { db } = world.database;
    // Of their own, because what these callers may do is done.
    const [ours, theirs] = [await world.newAccount(), await world.newAccount()];
    // With no role but the least, so that nothing but being one opens the operators' routes.
    const operator = await world.join(ours.owner, "viewer");
    await db.query("UPDATE accounts.members SET operator = true WHERE member_id = $1", [
      operator.memberId,
    ]);
    const staged = async (stage: string) => {
      const person = await world.join(ours.owner, "owner");
      await db.query("UPDATE accounts.sessions SET stage = $2 WHERE member_id = $1", [
        person.memberId,
        stage,
      ]);
      return person;
    };
    const expired = await world.join(ours.owner, "owner");
    await db.query(
      "UPDATE accounts.sessions SET expires_at = clock_timestamp() - interval '1 second' WHERE member_id = $1",
      [expired.memberId],
    );
    const strict = await world.newAccount();
    await db.query("UPDATE accounts.accounts SET totp_required = true WHERE account_id = $1", [
      strict.accountId,
    ]);
    const developer = await world.join(ours.owner, "developer");
    const token = (ours.owner.cookie ?? "").split("=")[1] ?? "";
    const callers: readonly (readonly [
      name: string,
      kind: Parameters<typeof refusalOf>[1],
      headers: SentHeaders,
    ])[] = [
      ["nobody", "stranger", {}],
      ["a made-up cookie", "stranger", { cookie: `tollgate_session=${"A".repeat(43)}` }],
      ["an expired session", "stranger", cookieOf(expired)],
      [
        "an API key",
        "stranger",
        { authorization: `Bearer ${ours.secret}`, "x-api-key": ours.secret },
      ],
      ["an API key as a cookie", "stranger", { cookie: `tollgate_session=${ours.secret}` }],
      ["a session's token as a key", "stranger", { authorization: `Bearer ${token}` }],
      ["a session before its code", "unfinished", cookieOf(await staged("totp"))],
      ["a session before its new password", "unfinished", cookieOf(await staged("password"))],
      ["an owner without the factor that is wanted", "enrolling", cookieOf(strict.owner)],
      ["a developer", "developer", cookieOf(developer)],
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
        const reported = `${answer.status} ${codeOf(answer)}`;
        const complain = (): void =>
          void wrong.push(`${nameOf(route)} as ${name}: ${reported}, not ${refusal ?? "let in"}`);
        if (refusal === null) {
          // It may still lack a body, or a key: that is found by what the route is for, after it
          // let the caller in.
          const missing =
            answer.status === 404 && "owned" in (thing ?? {})
              ? !answer.text.includes(NOTHING_HERE)
              : false;
          const letIn =
            answer.status < 500 &&
            ![401, 403].includes(answer.status) &&
            (answer.status !== 404 || missing);
          // The one endpoint that refuses by what is wrong with the session's stage, and those that
          // ask for a code or a password again.
          const asked = ["session_required", "login_unfinished", "permission_denied"].includes(
            codeOf(answer),
          );
          if (!letIn && (asked || answer.status >= 500 || answer.status === 404)) complain();
          await restoreSessions();
        } else if (
          route.access === "raw"
            ? answer.status !== Number(refusal.slice(0, 3))
            : reported !== refusal
        )
          complain();
        else if (
          needs === "operator" &&
          !["stranger", "unfinished", "enrolling"].includes(kind) &&
          !answer.text.includes(NOTHING_HERE)
        )
          complain();
        if (
          refusal !== null &&
          answer.headers.getSetCookie().some((line) => !line.includes("Max-Age=0"))
        )
          complain();
      }
    }
    assert.deepEqual(wrong, []);
  },
);

test(
  "every route of the API wants a key that is valid now: nothing else that a caller may have opens one",
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
    await db.query(
      "UPDATE keys.keys SET expires_at = clock_timestamp() - interval '1 second' WHERE hash = $1",
      [over.hash],
    );
    const token = (ours.owner.cookie ?? "").split("=")[1] ?? "";
    const bearer = (secret: string): SentHeaders => ({ authorization: `Bearer ${secret}` });
    const callers: readonly (readonly [string, SentHeaders])[] = [
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
      if ([401, 403].includes(status) || status >= 500)
        wrong.push(`${nameOf(route)} with a good key: ${status}`);
    }
    assert.deepEqual(wrong, []);
  },
);

test("logging in with what belongs to another, or with a hash, opens nothing", async () => {
  const rows = await world.database.db.query<{ hash: string }>(
    "SELECT password_hash::text AS hash FROM accounts.members WHERE member_id = $1",
    [ours.owner.memberId],
  );
  for (const password of [
    rows[0]?.hash ?? assert.fail(),
    ours.key.hash,
    ours.secret,
    PASSWORD.toUpperCase(),
  ]) {
    const answer = await openPanelBrowser(world.gateway.url).ask("POST", "log-in", {
      email: ours.owner.email,
      password: password.slice(0, 200),
    });
    assert.equal(answer.status, 401);
  }
});
