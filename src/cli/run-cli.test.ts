/**
 * The command line on real PostgreSQL: what each command does, what it says to people and to
 * programs, and its exit codes (contract §1).
 */
import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import { bookReceipts } from "../../test/support/book-receipts.ts";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { findAccount } from "../accounts/store.ts";
import { createAuthenticator } from "../serving/admission/authenticate.ts";
import { systemClock } from "../kernel/clock.ts";
import { newUuid } from "../kernel/ids.ts";
import { nano } from "../kernel/money.ts";
import { createSeal } from "../kernel/seal.ts";
import { findKeyByHash } from "../keys/store.ts";
import type { CliDeps } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { runCli } from "./run-cli.ts";
import { NO_USAGE } from "../kernel/token-usage.ts";
import { receiptFigures } from "../usage/receipt-figures.ts";

const CATALOGUE = `
upstreams: { up: { protocol: openai, baseUrl: "\${URL}", apiKeyEnv: KEY } }
models: { m: { type: chat, endpoints: [messages], contextTokens: 9, maxOutputTokens: 9, price: { input: 1, output: 1 }, routes: [ { upstream: up, model: m } ] } }
`;

let database: TestDatabase;
const databases: TestDatabase[] = [];
const files = new Map<string, string>();
beforeEach(async () => {
  database = await testDatabase();
  databases.push(database);
  files.clear();
});
after(() => Promise.all(databases.map((each) => each.drop())));

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(argv: readonly string[], overrides: Partial<CliDeps> = {}): Promise<Ran> {
  const printed = { out: [] as string[], err: [] as string[] };
  const code = await runCli(argv, {
    // A command closes what it opened; the tests look at the same database afterwards.
    openDb: async () => ({ ...database.db, close: async () => undefined }),
    openArchive: () => Promise.reject(new Error("no test of this file archives")),
    openSeal: () => createSeal("a secret of at least thirty-two characters"),
    readFile: async (path) => {
      const text = files.get(path);
      if (text === undefined) throw Object.assign(new Error("ENOENT"), { code: "ENOENT", path });
      return text;
    },
    env: { URL: "https://up.example", KEY: "x" },
    exampleEnvironment: () => "# Settings\n#PORT=8080\n",
    describeConfig: () => ({ ok: true, values: { PORT: "8080", SESSION_SECRET: "••••••" } }),
    examine: () => Promise.reject(new Error("no test of this file examines")),
    serve: async () => 0,
    sandbox: async () => 0,
    user: "tester",
    version: "1.2.3",
    migrations: "",
    colour: false,
    debug: false,
    out: (text) => printed.out.push(text),
    err: (text) => printed.err.push(text),
    ...overrides,
  });
  return { code, out: printed.out.join("\n"), err: printed.err.join("\n") };
}

async function json<T>(argv: readonly string[], code = 0): Promise<T> {
  const ran = await run([...argv, "--json"]);
  assert.equal(ran.code, code, ran.err);
  return JSON.parse(ran.out) as T;
}

async function newAccount(): Promise<string> {
  return (await json<{ accountId: string }>(["accounts", "create", "--name", "Ромашка"])).accountId;
}

test("an account is opened, topped up once per reference, given a key, and listed: the path of every customer", async () => {
  const accountId = await newAccount();
  assert.equal((await findAccount(database.db, accountId))?.name, "Ромашка");
  const first = await json<{ credited: boolean; balance: string }>([
    "topup",
    accountId,
    "500.5",
    "--ref",
    "bill-1",
  ]);
  assert.deepEqual([first.credited, first.balance], [true, "500.5"]);
  const again = await json<{ credited: boolean; balance: string }>([
    "topup",
    accountId,
    "500.50",
    "--ref",
    "bill-1",
  ]);
  assert.deepEqual([again.credited, again.balance], [false, "500.5"]);
  const key = await json<{ secret: string; mask: string; hash: string }>([
    "keys",
    "create",
    accountId,
    "--name",
    "prod",
    "--limit",
    "100",
    "--period",
    "day",
  ]);
  const auth = createAuthenticator({
    findKey: (hash) => findKeyByHash(database.db, hash),
    clock: systemClock,
  });
  assert.equal((await auth.authenticateFresh({ "x-api-key": key.secret })).accountId, accountId);
  const [listed] = await json<
    { hash: string; limit: { amount: string; period: string; remaining: string } }[]
  >(["keys", "list", accountId]);
  assert.deepEqual(
    [listed?.hash, listed?.limit.amount, listed?.limit.period, listed?.limit.remaining],
    [key.hash, "100", "day", "100"],
  );
  const [account] = await json<{ accountId: string; name: string; available: string }[]>([
    "accounts",
    "list",
  ]);
  assert.deepEqual(
    [account?.accountId, account?.name, account?.available],
    [accountId, "Ромашка", "500.5"],
  );

  assert.match(
    (await run(["accounts", "list"])).out,
    /^ACCOUNT +NAME.*\n.*Ромашка +500\.5 +0 +500\.5 +open/,
  );
  const people = await run(["keys", "list", accountId]);
  assert.match(people.out, /100\/day/);
  assert.ok(!people.out.includes(key.secret), "the secret was shown once and never again");
});

test("a deleted key is refused from the next request on, and deleting it again is no error", async () => {
  const accountId = await newAccount();
  const { secret, hash } = await json<{ secret: string; hash: string }>([
    "keys",
    "create",
    accountId,
    "--name",
    "k",
  ]);
  assert.match((await run(["keys", "delete", hash])).out, /^deleted tg_live_/);
  const auth = createAuthenticator({
    findKey: (wanted) => findKeyByHash(database.db, wanted),
    clock: systemClock,
  });
  await assert.rejects(auth.authenticateFresh({ "x-api-key": secret }), {
    code: "invalid_api_key",
  });
  const again = await run(["keys", "delete", hash]);
  assert.deepEqual([again.code, /was deleted before/.test(again.out)], [0, true]);
  assert.equal((await run(["keys", "delete", "0".repeat(64)])).code, 1);
  assert.deepEqual(await json(["keys", "list", accountId]), []);
});

test("a secret on the command line is refused and never repeated", async () => {
  const accountId = await newAccount();
  const { secret, mask } = await json<{ secret: string; mask: string }>([
    "keys",
    "create",
    accountId,
    "--name",
    "k",
  ]);
  for (const argv of [
    ["keys", "delete", secret],
    ["topup", secret, "5"],
    ["keys", "list", secret],
    ["requests", "show", secret],
    [secret],
    ["keys", secret],
    ["keys", "delete", "x", secret],
    ["topup", accountId, "5", `--${secret}`],
  ]) {
    const ran = await run(argv);
    assert.equal(ran.code, 2);
    assert.ok(!`${ran.out}${ran.err}`.includes(secret), argv.join(" "));
  }
  assert.equal((await run(["keys", "delete", mask])).code, 2);
});

test("a first member gets a one-time password, shown once; a taken e-mail creates nothing", async () => {
  const created = await json<{ accountId: string; oneTimePassword: string }>([
    "accounts",
    "create",
    "--name",
    "Ops",
    "--email",
    "Ops@Example.com",
    "--operator",
  ]);
  assert.ok(created.oneTimePassword.length >= 12);
  const again = await run(["accounts", "create", "--name", "Two", "--email", "ops@example.com"]);
  assert.deepEqual([again.code, /nothing was created/.test(again.err)], [1, true]);
  assert.match((await run(["accounts", "list"])).out, /ops@example\.com \(operator\)/);
});

test("a catalogue is checked with every mistake at once, applied as a version, and shown to the byte", async () => {
  files.set("good.yaml", CATALOGUE);
  files.set("bad.yaml", CATALOGUE.replace("openai", "opnai").replace("output: 1", "outputs: 1"));
  assert.equal((await run(["catalogue", "show"])).code, 1);
  const bad = await json<{ ok: boolean; mistakes: { message: string }[] }>(
    ["catalogue", "check", "bad.yaml"],
    1,
  );
  assert.equal(bad.ok, false);
  assert.ok(
    bad.mistakes.length >= 2 && bad.mistakes.some(({ message }) => message.includes('"openai"')),
  );
  const refused = await run(["catalogue", "apply", "bad.yaml"]);
  assert.deepEqual([refused.code, refused.out.endsWith("Nothing was applied.")], [1, true]);
  assert.match(
    (await run(["catalogue", "check", "good.yaml"])).out,
    /in order: 1 model, 1 upstream\./,
  );
  const applied = await run(["catalogue", "apply", "good.yaml"]);
  assert.match(applied.out, /\+ model m[^]*Version 1 is in force\./);
  assert.match(
    (await run(["catalogue", "apply", "good.yaml"])).out,
    /in force already, as version 1/,
  );
  const shown = await run(["catalogue", "show"]);
  assert.equal(`${shown.out}\n`, CATALOGUE);
  assert.match(shown.err, /^version 1, applied .* by tester/);
  assert.ok(!shown.out.includes("https://up.example"), "what the environment says is not shown");
  const missing = await run(["catalogue", "check", "no.yaml"]);
  assert.deepEqual(
    [missing.code, missing.err],
    [1, "tollgate catalogue check: there is no file no.yaml"],
  );
});

test("ledger verify names the rows that do not agree, and fails", async () => {
  const accountId = await newAccount();
  for (const sum of ["5", "6"]) await run(["topup", accountId, sum]);
  assert.match(
    (await run(["ledger", "verify"])).out,
    /^The ledger agrees: 1 account, 0 keys, 0 holds and 2 entries checked\.$/,
  );
  assert.equal((await json<{ ok: boolean }>(["ledger", "verify"])).ok, true);
  await database.db.query("UPDATE ledger.accounts SET credited_nano = credited_nano + 1");
  const broken = await json<{ ok: boolean; mismatches: { where: string; id: string }[] }>(
    ["ledger", "verify"],
    1,
  );
  assert.deepEqual(
    [
      broken.ok,
      broken.mismatches.some(({ where, id }) => where === "account.credited" && id === accountId),
    ],
    [false, true],
  );
  const people = await run(["ledger", "verify"]);
  assert.ok(people.code === 1 && people.out.includes(accountId));
  assert.match(people.out, /does not agree in \d+ places?, of 1 account, /);
});

test("requests show tells the whole story of one receipt, the operator's side included", async () => {
  const accountId = await newAccount();
  const { hash, mask } = await json<{ hash: string; mask: string }>([
    "keys",
    "create",
    accountId,
    "--name",
    "k",
  ]);
  const key = await findKeyByHash(database.db, hash);
  const requestId = newUuid();
  const usage = { ...NO_USAGE, inputTokens: 12, outputTokens: 30 };
  const attempts = [
    { upstream: "one", model: "a", outcome: "failed", status: 503, reason: "overloaded", ms: 12 },
    { upstream: "two", model: "b", outcome: "served", status: 200, reason: null, ms: 800 },
  ];
  await bookReceipts(database.db, [
    {
      requestId,
      accountId,
      keyId: key?.keyId ?? null,
      chargeNano: nano(19_800_000n),
      heldNano: nano(20_000_000n),
      priceVersion: 3,
      receipt: {
        endpoint: "chat.completions",
        modelRequested: "m",
        model: "m",
        state: "completed",
        startedAt: new Date("2026-11-21T09:30:00Z"),
        durationMs: 812,
        firstMs: 240,
        figures: receiptFigures(usage, "two", nano(10_000_000n)),
        detail: { stream: true, usage, usageSource: "upstream", attempts },
      },
    },
  ]);
  const id = `req_${requestId.replaceAll("-", "")}`;
  const receipt = await json<Record<string, unknown>>(["requests", "show", id]);
  assert.deepEqual(
    [
      receipt["id"],
      receipt["keyMask"],
      receipt["charged"],
      receipt["held"],
      receipt["upstreamCost"],
      receipt["completedAt"],
      receipt["priceVersion"],
    ],
    [id, mask, "0.0198", "0.02", "0.01", "2026-11-21T09:30:00.812Z", 3],
  );
  const people = await run(["requests", "show", id]);
  assert.match(
    people.out,
    /attempt 1 +one\/a, failed, 503, 12 ms, overloaded\nattempt 2 +two\/b, delivered, 200, 800 ms/,
  );
  assert.equal((await run(["requests", "show", `req_${"0".repeat(32)}`])).code, 1);
  assert.equal((await run(["requests", "show", "nonsense"])).code, 2);
});

test("wrong usage is exit code 2 with a hint, and nothing was done", async () => {
  const accountId = await newAccount();
  const cases: readonly (readonly [argv: string[], hint: RegExp])[] = [
    [[], /no command was given/],
    [["acounts", "list"], /did you mean accounts list/],
    [["keys", "crate", "x"], /did you mean keys create/],
    [["key", "list", "x"], /did you mean keys list/],
    [["keys"], /keys create, keys list, keys delete/],
    [["veriify"], /unknown command/],
    [["accounts", "create"], /--name is required/],
    [["accounts", "create", "--nmae", "x"], /did you mean --name/],
    [["accounts", "create", "--name"], /--name needs a value/],
    [["accounts", "create", "--name", "--json"], /--name needs a value/],
    [["accounts", "create", "--name", "x", "--name", "y"], /given twice/],
    [["accounts", "create", "--name", "x", "--operator=1"], /takes no value/],
    [["accounts", "create", "--name", "x", "--operator"], /e-mail is needed/],
    [["accounts", "create", "--name", " "], /name of 1 to/],
    [["accounts", "list", "x"], /one argument too many/],
    [["topup", accountId], /AMOUNT is missing/],
    [["topup", "Ромашка", "5"], /accounts list/],
    [["topup", accountId, "12,34"], /is not an amount/],
    [["topup", accountId, "0"], /is not an amount/],
    [["topup", accountId, "1e3"], /is not an amount/],
    [["topup", accountId, "0.0000000001"], /is not an amount/],
    [["topup", accountId, "-5"], /unknown option|is not an amount/],
    [["keys", "create", accountId, "--name", "k", "--limit", "0"], /is not an amount/],
    [["keys", "create", accountId, "--name", "k", "--period", "day"], /belongs to a --limit/],
    [
      ["keys", "create", accountId, "--name", "k", "--limit", "5", "--period", "week"],
      /not one of day, month, total/,
    ],
    [["keys", "create", accountId, "--name", "k", "--expires", "tomorrow"], /not a moment/],
    [["keys", "create", accountId, "--name", "k", "--expires", "2020-01-01"], /in the future/],
    [["keys", "create", accountId, "--name", "k", "--ips", "localhost"], /is not an address/],
    [
      ["keys", "create", accountId, "--name", "k", "--rpm", "0"],
      /--rpm "0" is not a whole number from 1 to 1000000/,
    ],
    [
      ["keys", "create", accountId, "--name", "k", "--tpm", "none"],
      /--tpm "none" is not a whole number/,
    ],
    [
      ["keys", "create", accountId, "--name", "k", "--concurrency", "10001"],
      /whole number from 1 to 10000/,
    ],
    [["accounts", "limits", accountId, "--rpm", "-1"], /none or 0 for no limit/],
    [["accounts", "limits"], /ACCOUNT is missing/],
    [["serve", "--roles", "api,wroker"], /did you mean worker/],
    [["sandbox"], /--port is required/],
    [["sandbox", "--port", "99999"], /not a port/],
  ];
  for (const [argv, hint] of cases) {
    const ran = await run(argv);
    assert.deepEqual([ran.code, ran.out], [2, ""], `${argv.join(" ")}: ${ran.err}`);
    assert.match(ran.err, hint, argv.join(" "));
    assert.match(ran.err, /--help/);
  }
  assert.deepEqual(await json(["keys", "list", accountId]), []);
  assert.equal((await json<unknown[]>(["accounts", "list"])).length, 1);
  assert.equal((await json<{ available: string }[]>(["accounts", "list"]))[0]?.available, "0");
});

test("rate limits are set and shown, a key's with the key, an account's at any time and one by one", async () => {
  const accountId = await newAccount();
  const none = {
    requestsPerMinute: null,
    tokensPerMinute: null,
    maxConcurrent: null,
    maxTasks: null,
  };
  const limits = (...options: string[]) =>
    json<object>(["accounts", "limits", accountId, ...options]);
  assert.deepEqual(await limits(), none);
  assert.deepEqual(await limits("--rpm", "100", "--concurrency", "7"), {
    ...none,
    requestsPerMinute: 100,
    maxConcurrent: 7,
  });
  assert.deepEqual(await limits("--tpm", "5000", "--rpm", "none"), {
    ...none,
    tokensPerMinute: 5000,
    maxConcurrent: 7,
  });
  assert.deepEqual(await limits("--tasks", "20"), {
    ...none,
    tokensPerMinute: 5000,
    maxConcurrent: 7,
    maxTasks: 20,
  });
  assert.deepEqual(await limits("--tasks", "none"), {
    ...none,
    tokensPerMinute: 5000,
    maxConcurrent: 7,
  });
  assert.deepEqual(await limits("--concurrency", "0"), { ...none, tokensPerMinute: 5000 });
  const [account] = await json<{ tokensPerMinute: number }[]>(["accounts", "list"]);
  assert.equal(account?.tokensPerMinute, 5000);
  assert.match((await run(["accounts", "list"])).out, /5000 tokens\/min/);
  assert.equal((await run(["accounts", "limits", accountId, "--tpm", "none"])).out, "no limits");

  await json([
    "keys",
    "create",
    accountId,
    "--name",
    "k",
    "--rpm",
    "60",
    "--tpm",
    "90000",
    "--concurrency",
    "5",
  ]);
  const [key] = await json<
    { requestsPerMinute: number; tokensPerMinute: number; maxConcurrent: number }[]
  >(["keys", "list", accountId]);
  assert.deepEqual(
    [key?.requestsPerMinute, key?.tokensPerMinute, key?.maxConcurrent],
    [60, 90_000, 5],
  );
  assert.match(
    (await run(["keys", "list", accountId])).out,
    /60 requests\/min, 90000 tokens\/min, 5 at once/,
  );
});

test("an account that does not exist is a failure, not wrong usage", async () => {
  const nobody = newUuid();
  for (const argv of [
    ["accounts", "limits", nobody, "--rpm", "5"],
    ["accounts", "limits", nobody],
    ["topup", nobody, "5"],
    ["keys", "create", nobody, "--name", "k"],
    ["keys", "list", nobody],
  ]) {
    const ran = await run(argv);
    assert.deepEqual([ran.code, /there is no account/.test(ran.err)], [1, true], argv.join(" "));
  }
  const taken = await newAccount();
  await run(["topup", taken, "5", "--ref", "r"]);
  assert.equal((await run(["topup", taken, "6", "--ref", "r"])).code, 1);
});

test("every command explains itself; help goes to standard output with exit code 0", async () => {
  const general = await run(["--help"]);
  assert.equal(general.code, 0);
  for (const command of COMMANDS) {
    assert.ok(general.out.includes(`  ${command.name} `), command.name);
    for (const argv of [
      [...command.name.split(" "), "--help"],
      [...command.name.split(" "), "-h"],
      ["help", ...command.name.split(" ")],
    ]) {
      const { code, out, err } = await run(argv);
      assert.deepEqual([code, err], [0, ""], argv.join(" "));
      assert.ok(out.startsWith(`usage: tollgate ${command.name}`));
      for (const option of Object.keys(command.options)) assert.ok(out.includes(`--${option}`));
    }
  }
  assert.match((await run(["keys", "--help"])).out, /keys create[^]*keys delete/);
  assert.deepEqual(await run(["--version"]), { code: 0, out: "1.2.3", err: "" });
});

test("a failure is one clear line without a stack, also as JSON; the cause is there when asked for", async () => {
  const broken: Partial<CliDeps> = {
    openDb: async () => {
      throw new Error("the database does not answer", {
        cause: new Error("ECONNREFUSED 10.0.0.1:5432"),
      });
    },
  };
  assert.deepEqual(await run(["accounts", "list"], broken), {
    code: 1,
    out: "",
    err: "tollgate accounts list: the database does not answer",
  });
  const asJson = await run(["accounts", "list", "--json"], broken);
  assert.deepEqual(JSON.parse(asJson.err), {
    error: { code: "failed", message: "the database does not answer" },
  });
  assert.match(
    (await run(["accounts", "list"], { ...broken, debug: true })).err,
    /caused by: Error: ECONNREFUSED/,
  );
});

test("serve and sandbox pass their roles, port and exit code on; config shows what it is given or every mistake", async () => {
  const seen: unknown[] = [];
  const deps: Partial<CliDeps> = {
    serve: async (roles) => {
      seen.push([...roles]);
      return 7;
    },
    sandbox: async (port) => {
      seen.push(port);
      return 0;
    },
  };
  assert.equal((await run(["serve"], deps)).code, 7);
  await run(["serve", "--roles", "worker"], deps);
  await run(["sandbox", "--port", "0"], deps);
  assert.deepEqual(seen, [["api", "worker"], ["worker"], 0]);
  assert.equal((await run(["config"])).out, "PORT            8080\nSESSION_SECRET  ••••••");
  assert.equal((await run(["config", "--example"])).out, "# Settings\n#PORT=8080");
  const wrong = await run(["config"], {
    describeConfig: () => ({ ok: false, mistakes: ["PORT: wrong.", "HOST: wrong."] }),
  });
  assert.deepEqual([wrong.code, wrong.err], [1, "tollgate config: PORT: wrong.\nHOST: wrong."]);
});

test("what comes from outside cannot repaint the operator's terminal", async () => {
  const accountId = await newAccount();
  await database.db.query("UPDATE accounts.accounts SET name = $1 WHERE account_id = $2", [
    "\u001b[2Jgone\u202e",
    accountId,
  ]);
  const { out } = await run(["accounts", "list"]);
  assert.doesNotMatch(out, /\p{Cc}\[|\p{Cf}/u);
  assert.match(out, /gone/);
});
