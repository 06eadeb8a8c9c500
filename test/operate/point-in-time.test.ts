/**
 * Protects: with a PostgreSQL of one's own whose log is archived, by the commands of
 * docs/production.md, a lost server comes back as it was at a moment: every balance of then, all
 * that was acknowledged, nothing that came later.
 */
import assert from "node:assert/strict";
import {
  chmodSync,
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Client } from "pg";
import { backUpCluster } from "#embedded-postgres/back-up-cluster.ts";
import { ROLE } from "#embedded-postgres/init-cluster.ts";
import { startPostmaster, type Postmaster } from "#embedded-postgres/postmaster.ts";
import { removeSocketFolder } from "#embedded-postgres/socket-folder.ts";
import { openDatabase, type Db } from "../../src/db/database.ts";
import { parseRoubles } from "../../src/kernel/money.ts";
import { topUp } from "../../src/business/accounts/top-up.ts";
import { verifyLedger } from "../../src/business/operate/verify-ledger.ts";
import { createTreeCopy } from "../../src/storage/copy-tree.ts";
import { startGateway, type Gateway } from "../support/gateway-process.ts";
import { newSocketCluster, type NewCluster } from "../support/new-cluster.ts";
import { newAccount, newKey } from "../support/new-customer.ts";
import { openAiCompletion } from "../support/openai-stream.ts";
import { startScriptedUpstream, type ScriptedUpstream } from "../support/scripted-upstream.ts";
import { fastFolder } from "../support/test-cluster.ts";
import { createTollgateCommand } from "../support/tollgate-command.ts";
import { until } from "../support/until.ts";
import { documentedBlocks, runDocumented, type Answer } from "./documented-restore.ts";

const CLIENTS = 3;
const [ARCHIVE, BASE, BACK] = documentedBlocks();

const folder = mkdtempSync(join(fastFolder(), "moment-"));
chmodSync(folder, 0o711);
const backups = join(folder, "backups");
const logFile = join(folder, "postgres.log");
let cluster: NewCluster & { readonly socketFolder: string };
let server: Postmaster | null = null;
let upstream: ScriptedUpstream;
let gateway: Gateway | null = null;

before(async () => {
  upstream = await startScriptedUpstream((exchange) =>
    exchange.json(
      200,
      openAiCompletion({
        pieces: ["Yes."],
        usage: { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 },
      }),
    ),
  );
  cluster = await newSocketCluster(folder);
  await startServer();
});
after(async () => {
  await gateway?.stop();
  server?.signal("SIGINT");
  await server?.ended;
  await upstream.close();
  removeSocketFolder(cluster.socketFolder);
  rmSync(folder, { recursive: true, force: true });
});

const urlOf = (role: string): string =>
  `postgresql:///${role}?host=${cluster.socketFolder}&user=${role}`;

async function startServer(): Promise<void> {
  const logFd = openSync(logFile, "a");
  server = startPostmaster({
    ...cluster,
    logFd,
    orphaned: "interrupt",
    settings: { shared_buffers: "32MB", jit: "off", timezone: "UTC" },
  });
  closeSync(logFd);
  assert.ok(await server.ready(), readFileSync(logFile, "utf8"));
}

async function stopServer(): Promise<void> {
  server?.signal("SIGINT");
  await server?.ended;
}

/** As the superuser; the first value of the last row. */
async function ask(statements: string): Promise<string> {
  const client = new Client({ connectionString: urlOf("postgres") });
  await client.connect();
  try {
    let value: unknown = "";
    for (const statement of statements.split(/;(?=\s+[A-Z]|\s*$)/)) {
      const { rows } = await client.query<Record<string, unknown>>(statement);
      value = Object.values(rows[0] ?? {})[0] ?? "";
    }
    return typeof value === "boolean" ? (value ? "t" : "f") : String(value);
  } finally {
    await client.end();
  }
}

async function startTollgate(): Promise<Gateway> {
  const catalogue = `
upstreams: { up: { protocol: openai, baseUrl: "${upstream.url}/v1", apiKeyEnv: KEY, maxConcurrent: 100 } }
models: { m: { type: chat, endpoints: [chat.completions], contextTokens: 9000, maxOutputTokens: 900, price: { input: "100", output: "200" }, routes: [ { upstream: up, model: m } ] } }
`;
  return startGateway({ databaseUrl: urlOf(ROLE), catalogue, env: { KEY: "x" } });
}

/** As a command would. */
async function withDb<T>(work: (db: Db) => Promise<T>): Promise<T> {
  const db = openDatabase({
    url: urlOf(ROLE),
    poolSize: 1,
    applicationName: "test",
    onError: () => undefined,
  });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

async function pay({ accountId }: Customer, roubles: string, reference: string): Promise<string> {
  const amountNano = parseRoubles(roubles) ?? assert.fail();
  return withDb(async (db) => (await topUp(db, { accountId, amountNano, reference })).kind);
}

/** In the place of the machine's own programs. */
const answer: Answer = async (program, args) => {
  if (program === "psql") return ask(args[0] ?? "");
  if (program === "tollgate") {
    const command = createTollgateCommand({ DATABASE_URL: urlOf(ROLE) });
    const { code, stdout, stderr } = await command.run(...args);
    assert.equal(code, 0, stdout + stderr);
    return stdout;
  }
  if (program === "pg_basebackup") {
    const target = /^--pgdata=(.+)$/.exec(args.at(-1) ?? "")?.[1] ?? "";
    await backUpCluster({
      url: urlOf("postgres"),
      clusterDir: cluster.clusterDir,
      target,
      copy: createTreeCopy({
        signal: new AbortController().signal,
        onBytes: () => undefined,
      }),
      onLost: () => undefined,
    });
    return "";
  }
  const [verb, ...units] = args;
  for (const unit of units) {
    if (unit === "postgresql" && verb !== "start") await stopServer();
    if (unit === "postgresql" && verb !== "stop") await startServer();
    if (unit === "tollgate" && verb === "start") gateway = await startTollgate();
  }
  return "";
};
const run = (block: string): Promise<void> =>
  runDocumented(
    block,
    { main: cluster.clusterDir, backups, owner: statSync(cluster.clusterDir).uid },
    answer,
  );

interface Customer {
  readonly accountId: string;
  readonly secret: string;
}

async function newCustomer(): Promise<Customer> {
  return withDb(async (db) => {
    const accountId = await newAccount(db, "1000");
    return { accountId, secret: (await newKey(db, accountId)).secret };
  });
}

async function call(customer: Customer, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = {
    authorization: `Bearer ${customer.secret}`,
    "content-type": "application/json",
  };
  const reply = await fetch(`${gateway?.url}${path}`, { ...init, headers });
  if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
  return reply;
}

/** A charged request's id, once its whole answer is there. */
async function chat(customer: Customer): Promise<string> {
  const body = JSON.stringify({
    model: "m",
    max_tokens: 50,
    messages: [{ role: "user", content: "Are you there?" }],
  });
  const reply = await call(customer, "/v1/chat/completions", { method: "POST", body });
  await reply.arrayBuffer();
  return reply.headers.get("x-request-id") ?? "";
}

const balanceOf = async (customer: Customer): Promise<unknown> =>
  (await call(customer, "/v1/balance")).json();

interface Asked {
  readonly id: string;
  readonly beganMs: number;
  readonly answeredMs: number;
}

/** Clients that ask until the server is gone. */
function startLoad(customer: Customer): { readonly asked: Asked[]; ended: Promise<unknown> } {
  const asked: Asked[] = [];
  const client = async (): Promise<void> => {
    for (;;) {
      const beganMs = Date.now();
      const id = await chat(customer).catch(() => null);
      if (id === null) return;
      asked.push({ id, beganMs, answeredMs: Date.now() });
    }
  };
  return { asked, ended: Promise.all(Array.from({ length: CLIENTS }, client)) };
}

async function restoredIds(customer: Customer): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let cursor = ""; ;) {
    const page = (await (await call(customer, `/v1/requests?limit=100${cursor}`)).json()) as {
      data: { id: string }[];
      nextCursor: string | null;
    };
    for (const { id } of page.data) ids.add(id);
    if (page.nextCursor === null) return ids;
    cursor = `&cursor=${page.nextCursor}`;
  }
}

/** With everything that ran on it, and with its disk but for what was archived. */
async function loseTheMachine(): Promise<void> {
  // In one statement: the load writes on, and the file after this one is not full for a while.
  const last = await ask("SELECT pg_walfile_name(pg_switch_wal() - 1)");
  await until(
    "the log is archived",
    async () => (await ask("SELECT last_archived_wal FROM pg_stat_archiver")) >= last,
  );
  server?.signal("SIGKILL");
  await server?.ended;
  await gateway?.kill();
  gateway = null;
  for (const name of ["base", "global", "pg_wal"])
    rmSync(join(cluster.clusterDir, name), { recursive: true });
}

test("a lost server is back as it was at the moment, and serves", async () => {
  await run(ARCHIVE);
  gateway = await startTollgate();
  const [quiet, busy] = [await newCustomer(), await newCustomer()];
  const load = startLoad(busy);
  await until("the load has begun", async () => load.asked.length >= 20);
  await run(BASE);
  for (let index = 0; index < 3; index++) await chat(quiet);
  assert.equal(await pay(quiet, "7", "before"), "credited");
  const balance = await balanceOf(quiet);

  const moment = await ask("SELECT clock_timestamp()::text");
  const momentMs = Date.parse(moment);
  assert.equal(await pay(quiet, "11", "after"), "credited");
  await chat(quiet);
  assert.notDeepEqual(await balanceOf(quiet), balance);
  const soFar = load.asked.length;
  await until("the load went on", async () => load.asked.length >= soFar + 20);
  await loseTheMachine();
  await load.ended;

  const day = /[\d-]+/.exec(moment)?.[0] ?? "";
  const back = BACK.replace(/^BACKUP=\S+/m, `BACKUP=/var/backups/postgresql/${day}`)
    .replace(/^MOMENT=.*/m, `MOMENT='${moment}'`)
    // The disk is lost.
    .replace(/^cp -a "\$MAIN-before.*\n/m, "");
  await run(back);

  assert.deepEqual(await balanceOf(quiet), balance);
  const ids = await restoredIds(busy);
  const missing = load.asked.filter(({ id, answeredMs }) => answeredMs < momentMs && !ids.has(id));
  const later = load.asked.filter(({ id, beganMs }) => beganMs > momentMs && ids.has(id));
  assert.deepEqual([missing, later], [[], []]);
  assert.ok(ids.size >= 20);

  await chat(quiet);
  assert.equal(await pay(quiet, "11", "after"), "credited", "it is not known any more");
  assert.equal(await pay(quiet, "7", "before"), "duplicate");
  assert.deepEqual((await withDb(verifyLedger)).mismatches, []);
});
