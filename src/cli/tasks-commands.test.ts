/**
 * The operator's commands for tasks on real PostgreSQL: they show what is there, move money only as
 * they say, and name what does not agree.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { newAccount } from "../../test/support/new-customer.ts";
import { playEnd, playStart } from "../../test/support/play-task.ts";
import { newUuid } from "../kernel/ids.ts";
import { nano } from "../kernel/money.ts";
import { createSeal } from "../kernel/seal.ts";
import { balance } from "../ledger/accounts.store.ts";
import { holdIn } from "../ledger/holds.store.ts";
import { insertTask } from "../tasks/tasks.store.ts";
import type { CliDeps } from "./command.ts";
import { runCli } from "./run-cli.ts";

const PRICE = nano(5_000_000_000n);

let database: TestDatabase;
let accountId: string;
before(async () => {
  database = await testDatabase();
  accountId = await newAccount(database.db, "1000");
});
after(() => database.drop());

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

let sessionSecret = "a secret of at least thirty-two characters";

async function run(...argv: string[]): Promise<Ran> {
  const printed = { out: [] as string[], err: [] as string[] };
  const never = (): never => assert.fail("no command of tasks asks for this");
  const deps: CliDeps = {
    openDb: async () => ({ ...database.db, close: async () => undefined }),
    openArchive: never,
    openSeal: () => createSeal(sessionSecret),
    readFile: never,
    env: {},
    exampleEnvironment: never,
    describeConfig: never,
    examine: never,
    serve: never,
    sandbox: never,
    user: "tester",
    version: "1.2.3",
    migrations: "",
    colour: false,
    debug: false,
    out: (text) => printed.out.push(text),
    err: (text) => printed.err.push(text),
  };
  const code = await runCli(argv, deps);
  return { code, out: printed.out.join("\n"), err: printed.err.join("\n") };
}

async function json<T>(...argv: string[]): Promise<T> {
  const ran = await run(...argv, "--json");
  assert.equal(ran.code, 0, ran.err);
  return JSON.parse(ran.out) as T;
}

async function order(callbackUrl: string | null = null, owner = accountId): Promise<string> {
  const taskId = newUuid();
  await database.db.transaction(async (tx) => {
    const hold = {
      holdId: taskId,
      accountId: owner,
      budgetId: null,
      groupId: null,
      ownerId: null,
      fullNano: null,
      sliceNano: PRICE,
      minimumNano: PRICE,
    };
    assert.equal(
      (await holdIn(tx, { ...hold, reference: `task:${taskId}`, priceVersion: 1, detail: "{}" }))
        .kind,
      "held",
    );
    await insertTask(tx, {
      taskId,
      accountId: owner,
      keyId: null,
      requestId: newUuid(),
      model: "seedance-2",
      parameterTable: "T9",
      parameters: { prompt: "a cat", duration: 5 },
      hasMedia: false,
      callbackUrl,
      priceVersion: 1,
      priceNano: PRICE,
      priceByFilesNano: null,
      deadlineSeconds: 60,
    });
  });
  return taskId;
}

const held = async (): Promise<bigint> => (await balance(database.db, accountId))?.heldNano ?? -1n;

test("tasks list filters by account, state and model, and says when there is more", async () => {
  const stranger = await newAccount(database.db, "1000");
  const [mine, ended] = [await order(), await order()];
  const foreign = await order(null, stranger);
  await playStart(database.db, ended);
  await playEnd(database.db, ended);
  const ids = async (...argv: string[]): Promise<string[]> =>
    (await json<{ taskId: string }[]>("tasks", "list", ...argv)).map(({ taskId }) => taskId);
  assert.deepEqual(await ids(), [foreign, ended, mine]);
  assert.deepEqual(await ids("--account", accountId), [ended, mine]);
  assert.deepEqual(await ids("--state", "completed"), [ended]);
  assert.deepEqual(await ids("--model", "other"), []);
  const people = await run("tasks", "list", "--limit", "1");
  assert.match(
    people.out,
    new RegExp(`^TASK +MODEL.*\n${foreign} +seedance-2 +queued +ready +5 +- .*\nThe newest 1`),
  );
  for (const wrong of [
    ["--state", "done"],
    ["--account", "x"],
    ["--limit", "0"],
  ])
    assert.equal((await run("tasks", "list", ...wrong)).code, 2);
});

test("tasks show tells what was ordered, what happened and what it cost; an unknown id is told", async () => {
  const taskId = await order("https://shop.example.com/hook");
  await playStart(database.db, taskId);
  await playEnd(database.db, taskId, {
    code: "provider_error",
    message: "The provider failed to make it.",
  });
  const shown = await json<{
    state: string;
    events: { kind: string }[];
    deliveries: { state: string }[];
    cost: { state: string };
  }>("tasks", "show", taskId);
  assert.deepEqual(
    [shown.state, shown.cost.state, shown.deliveries[0]?.state],
    ["failed", "released", "pending"],
  );
  assert.deepEqual(
    shown.events.map(({ kind }) => kind),
    ["created", "started", "failed"],
  );
  const people = await run("tasks", "show", taskId.toUpperCase());
  assert.match(people.out, /^error +provider_error: The provider failed to make it\.$/m);
  for (const command of ["show", "retry", "fail"]) {
    const ran = await run("tasks", command, "nonsense");
    assert.deepEqual([ran.code, /is not a task's id/.test(ran.err)], [1, true]);
  }
});

test("tasks retry makes the next step due now, and nothing of a task that has ended", async () => {
  const taskId = await order();
  await playStart(database.db, taskId);
  const dueIn = async (): Promise<number> => {
    const [row] = await database.db.query<{ ms: number }>(
      "SELECT (extract(epoch FROM due_at - clock_timestamp()) * 1000)::float8 AS ms FROM tasks.jobs WHERE task_id = $1",
      [taskId],
    );
    return row?.ms ?? Number.NaN;
  };
  assert.ok((await dueIn()) > 10_000);
  const ran = await run("tasks", "retry", taskId);
  assert.deepEqual([ran.code, ran.out], [0, `${taskId}: its step "running" is due now`]);
  assert.ok((await dueIn()) <= 0);
  await playEnd(database.db, taskId);
  assert.equal((await run("tasks", "retry", taskId)).code, 1);
});

test("tasks fail ends a task once and gives its money back; what has ended stays", async () => {
  const before = await held();
  const [queued, running] = [await order(), await order()];
  await playStart(database.db, running);
  assert.equal(await held(), before + 2n * PRICE);
  for (const taskId of [queued, running]) {
    const failed = await json<{
      state: string;
      cost: { state: string };
      error: { code: string; message: string };
    }>("tasks", "fail", taskId, "--reason", "its provider is gone");
    assert.deepEqual(
      [failed.state, failed.cost.state, failed.error.code],
      ["failed", "released", "internal"],
    );
    assert.doesNotMatch(failed.error.message, /provider is gone/, "its owner reads this");
    assert.match((await run("tasks", "show", taskId)).out, /its provider is gone/);
    const again = await run("tasks", "fail", taskId);
    assert.deepEqual([again.code, /failed already/.test(again.err)], [1, true]);
  }
  assert.equal(await held(), before);
  const [step] = await database.db.query<{ phase: string }>(
    "SELECT phase FROM tasks.jobs WHERE task_id = $1",
    [running],
  );
  assert.equal(step?.phase, "watching", "its upstream may finish it all the same");
  assert.deepEqual(
    await database.db.query("SELECT 1 FROM tasks.jobs WHERE task_id = $1", [queued]),
    [],
  );
});

test("tasks reconcile agrees with what is in order, and names every way in which money and task can differ", async () => {
  const good = await json<{ ok: boolean; mistakes: unknown[] }>("tasks", "reconcile");
  assert.deepEqual(good, { ...good, ok: true, mistakes: [] });
  const spoiled = await order();
  await database.db.query("UPDATE ledger.holds SET held_nano = held_nano + 1 WHERE hold_id = $1", [
    spoiled,
  ]);
  const lost = await order();
  await database.db.query("DELETE FROM ledger.holds WHERE hold_id = $1", [lost]);
  const stepless = await order();
  await database.db.query("DELETE FROM tasks.jobs WHERE task_id = $1", [stepless]);
  const strange = newUuid();
  await database.db.query(
    `INSERT INTO ledger.holds (hold_id, account_id, held_nano, price_version, created_at, reference, detail)
     VALUES ($1, $2, 1, 1, clock_timestamp(), $3, '{}')`,
    [strange, accountId, `task:${strange}`],
  );
  const ran = await run("tasks", "reconcile", "--json");
  assert.equal(ran.code, 1);
  const { mistakes } = JSON.parse(ran.out) as { mistakes: { kind: string; taskId: string }[] };
  assert.deepEqual(
    mistakes.map(({ kind, taskId }) => `${kind} ${taskId}`).toSorted(),
    [
      `hold_differs ${spoiled}`,
      `no_hold ${lost}`,
      `no_step ${stepless}`,
      `no_task ${strange}`,
    ].toSorted(),
  );
  assert.match((await run("tasks", "reconcile")).out, /4 tasks do not agree with the ledger/);
});

test("webhooks secret is made once, shown again, and changed on request", async () => {
  const { secret } = await json<{ secret: string }>("webhooks", "secret", accountId);
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.equal((await run("webhooks", "secret", accountId)).out, secret);
  const changed = await json<{ secret: string; previousUntil: string | null }>(
    "webhooks",
    "secret",
    accountId,
    "--rotate",
  );
  assert.notEqual(changed.secret, secret);
  assert.ok(
    changed.previousUntil !== null &&
      Date.parse(changed.previousUntil) > Date.now() + 23 * 3_600_000,
  );
  const last = await json<{ secret: string; previousUntil: string | null }>(
    "webhooks",
    "secret",
    accountId,
    "--rotate",
    "--now",
  );
  assert.equal(last.previousUntil, null);
  assert.equal((await run("webhooks", "secret", accountId, "--now")).code, 2);
  assert.equal((await run("webhooks", "secret", "x")).code, 2);
  assert.equal((await run("webhooks", "secret", newUuid())).code, 1);
});

test("a webhooks secret that another SESSION_SECRET sealed is not lost by being looked at, and is replaced on request only", async () => {
  const account = await newAccount(database.db, "1");
  const mine = sessionSecret;
  const { secret } = await json<{ secret: string }>("webhooks", "secret", account);
  sessionSecret = "another secret of thirty-two characters";
  const refused = await run("webhooks", "secret", account);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /another SESSION_SECRET/);
  assert.doesNotMatch(refused.out + refused.err, /whsec_/);
  sessionSecret = mine;
  assert.equal((await run("webhooks", "secret", account)).out, secret);
  sessionSecret = "another secret of thirty-two characters";
  const changed = await json<{ secret: string; previousUntil: string | null }>(
    "webhooks",
    "secret",
    account,
    "--rotate",
  );
  assert.equal(changed.previousUntil, null, "the one before does not sign here");
  assert.equal((await run("webhooks", "secret", account)).out, changed.secret);
  sessionSecret = mine;
});
