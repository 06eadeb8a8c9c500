/**
 * Protects (hazards §208, §219): no secret entrusted to the gateway is in any answer, in its log
 * or, as it is, in its database.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Secret, TOTP } from "otpauth";
import type { TotpSecret } from "../../src/contract/panel/sessions.ts";
import {
  mailsTo,
  newEmail,
  openPanelBrowser,
  PASSWORD,
  type PanelBrowser,
} from "../support/panel-session.ts";
import { neverOf, pathWith, routeTable, thingOf, type Thing } from "../support/panel-routes.ts";
import { openPanelWorld, type PanelAccount, type PanelWorld } from "../support/panel-things.ts";
import { until } from "../support/until.ts";

const THINGS = [
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
  "account",
] as const;
const OPERATORS = {
  SESSION_SECRET: "canary-of-the-session-secret-0123456789",
  SANDBOX_API_KEY: "canary-of-the-upstream-9f2c",
  PAYMENTS_SECRET_KEY: "canary-of-the-shop-77aa01",
  TELEGRAM_BOT_TOKEN: "7700112233:canary-of-the-bot-0123456789-0123",
};

let world: PanelWorld;
let account: PanelAccount;
let viewerOf: PanelAccount["viewer"];
/** By what it is: never shown again, never logged, in the database as something else at most. */
const entrusted = new Map<string, string>();
/** Besides: what the database has to have as it is, and never shows. */
const stored = new Map<string, string>();
const made = new Map<Thing, string>();

before(async () => {
  world = await openPanelWorld({
    ...OPERATORS,
    // Nothing listens there.
    TELEGRAM_API_URL: "http://127.0.0.1:9",
  });
  account = await world.newAccount();
  viewerOf = account.viewer;
  const { owner } = account;
  const { db } = world.database;
  for (const thing of THINGS) made.set(thing, await world.make(thing, account));
  for (const [name, value] of Object.entries(OPERATORS)) entrusted.set(name, value);
  entrusted.set("password", PASSWORD);
  entrusted.set("a key's secret", account.secret);
  entrusted.set(
    "a second key's secret",
    (await owner.ask("POST", "keys", { name: "another" })).json<{ secret: string }>().secret,
  );
  const rolled = await owner.ask("POST", `keys/${account.key.hash}/roll`, { overlapHours: 24 });
  entrusted.set("a rolled key's secret", rolled.json<{ secret: string }>().secret);

  // A second factor, with its codes; and one that is only shown so far.
  const { secret } = (await account.manager.ask("POST", "totp/begin")).json<TotpSecret>();
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  const codes = (await account.manager.ask("POST", "totp/confirm", { code })).json<{
    recoveryCodes: string[];
  }>().recoveryCodes;
  entrusted.set("a second factor's secret", secret);
  for (const [index, one] of codes.entries()) entrusted.set(`recovery code ${index}`, one);
  entrusted.set(
    "a shown factor's secret",
    (await owner.ask("POST", "totp/begin")).json<TotpSecret>().secret,
  );

  // Links of every kind of mail, used and unused.
  const invited = newEmail();
  await owner.ask("POST", "password/forgot", { email: account.viewer.email });
  await owner.ask("POST", "members/invite", { email: invited, role: "viewer" });
  for (const [email, links] of [
    [owner.email, 1],
    [account.viewer.email, 2],
    [invited, 1],
  ] as const) {
    const tokens = await until(`${links} links for ${email}`, async () => {
      const found = (await mailsTo(world.gateway, email)).flatMap(
        (mail) => /#token=([\w-]+)/.exec(mail)?.[1] ?? [],
      );
      return found.length >= links ? found : null;
    });
    for (const [index, token] of tokens.entries())
      entrusted.set(`link ${index} for ${email}`, token);
  }

  // A log-in that fails never tells with which password.
  const wrong = "canary of a mistyped password";
  await openPanelBrowser(world.gateway.url).ask("POST", "log-in", {
    email: owner.email,
    password: wrong,
  });
  entrusted.set("a wrong password", wrong);
  // The token of a request that is refused, and of one whose path carries it.
  await fetch(`${world.gateway.url}/v1/models?api_key=${account.secret}`, {
    headers: { authorization: `Bearer ${account.secret}x` },
  });
  await fetch(`${world.gateway.url}/panel/api/sessions/${tokenOf(owner)}`, {
    headers: { cookie: owner.cookie ?? "" },
  });

  for (const person of [owner, account.manager, account.viewer]) {
    entrusted.set(`session of ${person.email}`, tokenOf(person));
    entrusted.set(
      `device of ${person.email}`,
      (person.device ?? assert.fail()).split("=")[1]?.split(".")[1] ?? assert.fail(),
    );
  }

  const once = async (path: string): Promise<string> =>
    (await owner.ask("POST", path)).json<{ secret: string }>().secret;
  for (const [path, times] of Object.entries({
    "webhook-secret/roll": 2,
    "alerts/webhook-secret": 2,
  })) {
    for (let time = 1; time <= times; time += 1) {
      const made = await once(path);
      entrusted.set(`what signs webhooks, ${path} ${time}`, made);
      entrusted.set(`the key of what signs webhooks, ${path} ${time}`, made.replace("whsec_", ""));
    }
  }
  const { command } = (await owner.ask("POST", "alerts/telegram/code")).json<{ command: string }>();
  entrusted.set("a code for the bot", command.slice("/start ".length));
  await db.query("UPDATE accounts.members SET operator = true WHERE member_id = $1", [
    owner.memberId,
  ]);
  for (const { value } of await db.query<{ value: string }>(
    "SELECT password_hash AS value FROM accounts.members",
  )) {
    stored.set(`password hash ${value.slice(-8)}`, value);
    stored.set(`digest of a password ${value.slice(-8)}`, value.split("$").at(-1) ?? assert.fail());
  }
  for (const [name, query] of Object.entries({
    session: "SELECT encode(token_hash, 'hex') AS value FROM accounts.sessions",
    token: "SELECT encode(token_hash, 'hex') AS value FROM accounts.tokens",
    invitation: "SELECT encode(token_hash, 'hex') AS value FROM accounts.invitations",
    "recovery code": "SELECT encode(code_hash, 'hex') AS value FROM accounts.recovery_codes",
    "sealed second factor": "SELECT encode(sealed_secret, 'hex') AS value FROM accounts.totp",
  })) {
    const rows = await db.query<{ value: string }>(query);
    assert.ok(rows.length > 0, name);
    for (const [index, { value }] of rows.entries())
      stored.set(`hash of ${name} ${index}`, Buffer.from(value, "hex").toString("latin1"));
  }
});
after(() => world[Symbol.asyncDispose]());

const tokenOf = (person: PanelBrowser): string =>
  person.cookie?.split("=")[1] ?? assert.fail("has no session");

/** Each way in which it could have been written down by mistake. */
function spellings(secret: string, bytes: BufferEncoding = "utf8"): string[] {
  const buffer = Buffer.from(secret, bytes);
  const ascii = /^[\x20-\x7e]+$/.test(secret);
  return [
    ...(ascii ? [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)] : []),
    buffer.toString("hex"),
    // Without its last letters, which depend on what follows.
    buffer.toString("base64").replace(/.{0,2}=*$/, ""),
    buffer.toString("base64url").replace(/..$/, ""),
  ].flatMap((text) => [text, text.toUpperCase() === text ? text : text.toLowerCase()]);
}

function assertWithout(text: string, secrets: ReadonlyMap<string, string>, where: string): void {
  const lower = text.toLowerCase();
  for (const [name, secret] of secrets) {
    const binary = /^[\x20-\x7e]+$/.test(secret) ? "utf8" : "latin1";
    for (const spelling of spellings(secret, binary)) {
      if (spelling.length < 8) continue;
      assert.ok(!text.includes(spelling) && !lower.includes(spelling), `${where} has ${name}`);
    }
  }
}

test("a canary is found however it is written", () => {
  const secret = "whsec_a/b+c\"d'e0123";
  const secrets = new Map([["it", secret]]);
  for (const text of [
    secret,
    JSON.stringify({ secret }),
    encodeURIComponent(secret),
    Buffer.from(secret).toString("base64"),
    Buffer.from(secret).toString("base64url"),
    Buffer.from(secret).toString("hex").toUpperCase(),
  ])
    assert.throws(() => assertWithout(`before ${text} after`, secrets, text), /has it/);
  assertWithout("before whsec_ after", secrets, "nothing");
});

test(
  "no answer to a GET has a secret, a hash of one or a credential of the operator, for any caller",
  { timeout: 300_000 },
  async () => {
    const all = new Map([...entrusted, ...stored]);
    assert.ok(all.size > 40);
    let answered = 0;
    for (const route of routeTable().filter(({ method }) => method === "GET")) {
      const thing = thingOf(route);
      const id =
        thing === null
          ? ""
          : "owned" in thing
            ? (made.get(thing.owned) ?? neverOf(thing.owned))
            : thing.shared;
      for (const headers of [
        { cookie: account.owner.cookie ?? "" },
        { cookie: viewerOf.cookie ?? "" },
        { authorization: `Bearer ${account.secret}` },
        {},
      ]) {
        const answer = await fetch(world.gateway.url + pathWith(route.path, id), {
          redirect: "manual",
          headers: { ...headers } as Record<string, string>,
        });
        const text = `${JSON.stringify([...answer.headers])}\n${await answer.text()}`;
        if (answer.status === 200) answered += 1;
        assert.ok(answer.status < 500, `${route.path} ${answer.status}`);
        assertWithout(text, all, route.path);
      }
    }
    assert.ok(answered > 100, String(answered));
  },
);

test("no schema of an answer has a place for a password, a hash of one or a token", () => {
  const table = routeTable();
  const names = new Set<string>();
  const walk = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if ("properties" in value && typeof value.properties === "object")
      for (const name of Object.keys(value.properties ?? {})) names.add(name);
    for (const part of Object.values(value)) walk(part);
  };
  for (const route of table)
    for (const response of Object.values(route.doc.responses)) walk(response.content);
  assert.ok(names.size > 50);
  assert.deepEqual(
    [...names].filter((name) =>
      /password|secret|tokenhash|totp|credential|apikey/i.test(name.replaceAll("_", "")),
    ),
    [],
  );
});

test(
  "neither the log nor a row of the database has any of them",
  { timeout: 120_000 },
  async () => {
    const { database, gateway } = world;
    const log = gateway.output();
    assert.ok(log.split("\n").length > 50);
    assertWithout(log, new Map([...entrusted, ...stored]), "the log");
    const tables = await database.db.query<{ name: string }>(
      `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
    );
    let lines = 0;
    for (const { name } of tables) {
      const rows = await database.db.query<{ line: string }>(
        `SELECT t::text AS line FROM ${name} t`,
      );
      lines += rows.length;
      assertWithout(rows.map(({ line }) => line).join("\n"), entrusted, name);
    }
    assert.ok(lines > 100, String(lines));
  },
);
