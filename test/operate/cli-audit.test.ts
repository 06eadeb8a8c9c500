/**
 * Guarantee: what a command on the server changes stands in the audit log once, in its own
 * transaction; what fails or changes nothing does not, and a secret never does.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { listActions, type StoredAction } from "../../src/business/operate/audit.store.ts";
import { applyCatalogueFile } from "../../src/business/operate/apply-catalogue.ts";
import { commandActor, startActor } from "../../src/business/operate/operator.ts";
import { runCli, type CliDeps } from "../../src/cli/run-cli.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import { formatRoubles } from "../../src/kernel/money.ts";
import { createSeal } from "../../src/kernel/seal.ts";
import { PRICE } from "../support/engine-scene.ts";
import { engineSuite } from "../support/engine-suite.ts";

const CATALOGUE = `
upstreams: { up: { protocol: openai, baseUrl: "https://up.example", apiKeyEnv: UP_KEY } }
models: { m: { type: chat, endpoints: [messages], contextTokens: 9, maxOutputTokens: 9, price: { input: 1, output: 1 }, routes: [ { upstream: up, model: m } ] } }
`;
const ENV = { UP_KEY: "secret-of-the-upstream" };

const suite = engineSuite();
const files = new Map<string, string>();

interface Ran {
  readonly code: number;
  readonly out: string;
  /** What it left in the log, the newest first. */
  readonly rows: readonly StoredAction[];
}

async function logged(): Promise<StoredAction[]> {
  return listActions(suite.scene.db, {
    accountId: null,
    memberId: null,
    action: null,
    from: null,
    to: null,
    before: null,
    limit: 1_000,
  });
}

async function run(argv: readonly string[], user = "anna"): Promise<Ran> {
  const never = (): never => assert.fail("none of these commands asks for this");
  const known = (await logged()).length;
  const stated: string[] = [];
  const deps: CliDeps = {
    // A command closes what it opened; the tests look at the same database afterwards.
    openDb: async () => ({ ...suite.scene.db, close: async () => undefined }),
    openArchive: never,
    openSeal: () => createSeal("a secret of at least thirty-two characters"),
    readFile: async (path) => files.get(path) ?? assert.fail(path),
    env: ENV,
    exampleEnvironment: () => "",
    describeConfig: never,
    examine: never,
    serve: never,
    sandbox: never,
    user,
    version: "1.2.3",
    migrations: "",
    colour: false,
    debug: false,
    out: (text) => stated.push(text),
    err: () => undefined,
  };
  const code = await runCli(argv, deps);
  const now = await logged();
  return { code, out: stated.join("\n"), rows: now.slice(0, now.length - known) };
}

/** What an account's webhooks are signed with, as the command shows it. */
async function shown(accountId: string): Promise<{ reported: { secret: string } }> {
  const { code, out, rows } = await run(["webhooks", "secret", accountId, "--json"]);
  assert.deepEqual([code, rows], [0, []]);
  return { reported: JSON.parse(out) as { secret: string } };
}

/** What it printed, and its one row without id and time. */
async function change<T = unknown>(...argv: string[]): Promise<{ reported: T; row: unknown }> {
  const { code, out, rows } = await run([...argv, "--json"]);
  assert.deepEqual([code, rows.length], [0, 1], `${argv.join(" ")}: ${out}`);
  const { auditId: _id, at: _at, ...row } = rows[0] ?? assert.fail();
  return { reported: JSON.parse(out) as T, row };
}

async function assertNone(code: number, ...argv: string[]): Promise<void> {
  const ran = await run(argv);
  assert.deepEqual([ran.code, ran.rows], [code, []], argv.join(" "));
}

const BY = { memberId: null, actor: "cli:anna" };

async function newAccount(): Promise<string> {
  return (await change<{ accountId: string }>("accounts", "create", "--name", "Daisy")).reported
    .accountId;
}

test("accounts create: who was let in is told, the one-time password is not", async () => {
  const email = `${newUuid()}@example.test`;
  const { reported, row } = await change<{ accountId: string; oneTimePassword: string }>(
    ...["accounts", "create", "--name", " Daisy ", "--email", email.toUpperCase(), "--operator"],
  );
  const after = { name: "Daisy", email, operator: true };
  assert.deepEqual(row, {
    ...BY,
    action: "account.create",
    accountId: reported.accountId,
    subject: null,
    reason: null,
    before: null,
    after,
  });
  assert.ok(!JSON.stringify(row).includes(reported.oneTimePassword));
  await assertNone(1, "accounts", "create", "--name", "Another", "--email", email);
  await assertNone(2, "accounts", "create", "--name", "Another", "--operator");
});

test("topup: a row as the panel's credit leaves it, one for each reference", async () => {
  const accountId = await newAccount();
  const ref = `bank:${accountId}`;
  const { reported, row } = await change<{ entryId: string }>(
    "topup",
    accountId,
    "150.5",
    "--ref",
    ref,
  );
  assert.deepEqual(row, {
    ...BY,
    action: "account.credit",
    accountId,
    subject: reported.entryId,
    reason: null,
    before: { balance: "0", available: "0" },
    after: { balance: "150.5", available: "150.5", amount: "150.5", class: "paid", ref },
  });
  await assertNone(0, "topup", accountId, "150.5", "--ref", ref);
  await assertNone(1, "topup", accountId, "1", "--ref", ref);
  await assertNone(1, "topup", newUuid(), "1");
  await assertNone(2, "topup", accountId, "2000000000");
});

test("accounts limits: what they were and became; looking at them or setting the same leaves nothing", async () => {
  const accountId = await newAccount();
  const before = {
    requestsPerMinute: null,
    tokensPerMinute: null,
    maxConcurrent: null,
    maxTasks: null,
  };
  const { row } = await change("accounts", "limits", accountId, "--rpm", "60");
  const after = { ...before, requestsPerMinute: 60 };
  assert.deepEqual(row, {
    ...BY,
    action: "account.limits",
    accountId,
    subject: null,
    reason: null,
    before,
    after,
  });
  await assertNone(0, "accounts", "limits", accountId);
  await assertNone(0, "accounts", "limits", accountId, "--rpm", "60");
  await assertNone(1, "accounts", "limits", newUuid(), "--rpm", "60");
  await assertNone(2, "accounts", "limits", accountId, "--rpm", "0.5");
});

test("keys create and keys delete: the key is named by its mask and hash, and deleted once", async () => {
  const accountId = await newAccount();
  const { reported, row } = await change<{ secret: string; mask: string; hash: string }>(
    ...[
      "keys",
      "create",
      accountId,
      "--name",
      "prod",
      "--limit",
      "100",
      "--period",
      "day",
      "--models",
      "m",
      "--expires",
      "2099-01-31",
    ],
  );
  const { secret, mask, hash } = reported;
  const after = {
    hash,
    name: "prod",
    limit: { amount: "100", period: "day" },
    expiresAt: "2099-01-31T00:00:00.000Z",
    models: ["m"],
    ips: null,
    requestsPerMinute: null,
    tokensPerMinute: null,
    maxConcurrent: null,
    maxTasks: null,
  };
  assert.deepEqual(row, {
    ...BY,
    action: "key.create",
    accountId,
    subject: mask,
    reason: null,
    before: null,
    after,
  });
  await assertNone(1, "keys", "create", newUuid(), "--name", "prod");
  await assertNone(2, "keys", "create", accountId, "--name", "prod", "--ips", "nowhere");

  const deleted = await change("keys", "delete", hash);
  const before = { hash, name: "prod" };
  assert.deepEqual(deleted.row, {
    ...BY,
    action: "key.delete",
    accountId,
    subject: mask,
    reason: null,
    before,
    after: null,
  });
  await assertNone(0, "keys", "delete", hash);
  await assertNone(1, "keys", "delete", "0".repeat(64));
  await assertNone(2, "keys", "delete", secret);
});

test("webhooks secret: a change is logged without the secret, a look is not", async () => {
  const accountId = await newAccount();
  const { reported: first } = await shown(accountId);
  const { reported, row } = await change<{ secret: string; previousUntil: string }>(
    "webhooks",
    "secret",
    accountId,
    "--rotate",
  );
  const action = {
    ...BY,
    action: "account.webhook_secret",
    accountId,
    subject: null,
    reason: null,
    before: null,
  };
  assert.deepEqual(row, { ...action, after: { previousUntil: reported.previousUntil } });
  const now = await change<{ secret: string }>(
    "webhooks",
    "secret",
    accountId,
    "--rotate",
    "--now",
  );
  assert.deepEqual(now.row, { ...action, after: { previousUntil: null } });
  const log = JSON.stringify(await logged());
  for (const { secret } of [first, reported, now.reported])
    assert.ok(!log.includes(secret.slice("whsec_".length)));
  await assertNone(1, "webhooks", "secret", newUuid(), "--rotate");
  await assertNone(2, "webhooks", "secret", accountId, "--now");
});

test("catalogue apply: version and changes; a catalogue with mistakes or in force already leaves nothing, at a start too", async () => {
  files.set("one.yaml", CATALOGUE);
  files.set("two.yaml", CATALOGUE.replace("input: 1", "input: 2"));
  files.set("bad.yaml", "models: {}");
  await assertNone(1, "catalogue", "apply", "bad.yaml");
  const first = await change<{ version: number }>("catalogue", "apply", "one.yaml");
  assert.equal((first.row as StoredAction).before, null);
  await assertNone(0, "catalogue", "apply", "one.yaml");
  const { reported, row } = await change<{ version: number }>("catalogue", "apply", "two.yaml");
  const { before, after, ...rest } = row as StoredAction;
  assert.deepEqual(rest, {
    ...BY,
    action: "catalogue.apply",
    accountId: null,
    subject: `version ${reported.version}`,
    reason: null,
  });
  assert.equal((before as { version: number }).version, first.reported.version);
  assert.equal((after as { changes: string[] }).changes[0], "~ price of m, input: 1 → 2");

  const start = async (source: string): Promise<string> =>
    (
      await applyCatalogueFile(suite.scene.db, {
        source,
        env: ENV,
        appliedBy: "start",
        actor: startActor("server"),
      })
    ).kind;
  const known = (await logged()).length;
  assert.deepEqual(
    [await start(CATALOGUE), await start(CATALOGUE), await start("models: {}")],
    ["applied", "unchanged", "mistakes"],
  );
  const [started, ...more] = (await logged()).slice(0, -known);
  assert.deepEqual(
    [started?.actor, started?.memberId, started?.action, more],
    ["start:server", null, "catalogue.apply", []],
  );
});

test("tasks retry and tasks fail: rows as the panel leaves them; what has ended is left alone", async () => {
  const { scene } = suite;
  const taskId = await scene.order();
  const { accountId } = await scene.find(taskId);
  const about = { ...BY, accountId, subject: taskId };
  const retried = await change("tasks", "retry", taskId);
  assert.deepEqual(retried.row, {
    ...about,
    action: "task.retry",
    reason: null,
    before: null,
    after: { phase: "ready", webhooks: 0 },
  });
  await assertNone(2, "tasks", "fail", taskId, "--reason", "x".repeat(501));
  const failed = await change("tasks", "fail", taskId, "--reason", " its provider is gone ");
  assert.deepEqual(failed.row, {
    ...about,
    action: "task.fail",
    reason: "its provider is gone",
    before: { state: "queued", phase: "ready" },
    after: { state: "failed", released: formatRoubles(PRICE) },
  });
  await assertNone(1, "tasks", "fail", taskId);
  await assertNone(1, "tasks", "retry", taskId);
  for (const command of ["fail", "retry"]) await assertNone(1, "tasks", command, newUuid());
  const other = await scene.order();
  assert.equal(
    ((await change("tasks", "fail", other, "--reason", " ")).row as StoredAction).reason,
    null,
  );
});

test("commands that only look leave nothing", async () => {
  const accountId = await newAccount();
  await assertNone(0, "accounts", "list");
  await assertNone(0, "keys", "list", accountId);
  await assertNone(0, "tasks", "list");
  await assertNone(0, "ledger", "verify");
  const { rows } = await run(["tasks", "reconcile"]);
  assert.deepEqual(rows, []);
});

test("what cannot be logged does not happen, and a name of any length can be", async () => {
  const { db } = suite.scene;
  const count = async (): Promise<unknown> =>
    db.query(
      "SELECT (SELECT count(*) FROM accounts.accounts) a, (SELECT count(*) FROM ledger.entries) e",
    );
  const accountId = await newAccount();
  const before = await count();
  await db.query(
    "ALTER TABLE audit.actions ADD CONSTRAINT somebody CHECK (actor <> 'cli:nobody') NOT VALID",
  );
  assert.equal((await run(["topup", accountId, "5"], "nobody")).code, 1);
  assert.equal((await run(["accounts", "create", "--name", "x"], "nobody")).code, 1);
  assert.deepEqual(await count(), before);
  const { code, rows } = await run(["topup", accountId, "5"], "u".repeat(500));
  assert.deepEqual([code, rows[0]?.actor], [0, commandActor("u".repeat(500)).actor]);
});

test("no secret is in the log", async () => {
  const { db } = suite.scene;
  const email = `${newUuid()}@example.test`;
  const account = await change<{ accountId: string; oneTimePassword: string }>(
    "accounts",
    "create",
    "--name",
    "Daisy",
    "--email",
    email,
  );
  const key = await change<{ secret: string; mask: string }>(
    "keys",
    "create",
    account.reported.accountId,
    "--name",
    "prod",
  );
  files.set("dearer.yaml", CATALOGUE.replace("input: 1", "input: 3"));
  await change("catalogue", "apply", "dearer.yaml");
  const [row] = await db.query<{ all: string }>(
    "SELECT string_agg(t::text, E'\\n') AS all FROM audit.actions t",
  );
  const text = row?.all ?? "";
  assert.ok(text.includes(key.reported.mask) && text.includes("~ price of m"));
  for (const secret of [key.reported.secret, account.reported.oneTimePassword, ENV.UP_KEY])
    assert.ok(!text.includes(secret));
});
