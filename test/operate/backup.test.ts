/**
 * Protects: a backup that is made while the gateway serves is a whole installation as of its end,
 * and killing it harms nothing.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { openDatabase } from "../../src/db/database.ts";
import {
  backUpInstallation,
  type Backup,
} from "../../src/business/operate/back-up-installation.ts";
import { parseRoubles } from "../../src/kernel/money.ts";
import { openArchiveStorage } from "../../src/storage/open-storage.ts";
import { startGateway, type Gateway } from "../support/gateway-process.ts";
import { newAccount, newKey } from "../support/new-customer.ts";
import { openAiCompletion } from "../support/openai-stream.ts";
import { startScriptedUpstream, type ScriptedUpstream } from "../support/scripted-upstream.ts";
import { createTollgateCommand } from "../support/tollgate-command.ts";
import { tollgateEnvironment, type Settings } from "../support/tollgate-environment.ts";
import { until } from "../support/until.ts";

const CLI = join(import.meta.dirname, "../../src/main/cli.ts");
const CLIENTS = 3;
/** 100 tokens at 100 roubles for a million, and 50 at 200. */
const CHAT_NANO = 20_000_000n;
/** Between two uploads. */
const UPLOAD_PAUSE_MS = 30;
/** So many that the first piece of the log would be gone if nothing kept it. */
const PIECES_OF_LOG = 4;

const folder = mkdtempSync(join(tmpdir(), "backup-"));
const dataDir = join(folder, "data");
/** Outside of DATA_DIR, where an operator may want them. */
const stored = join(folder, "stored");
const isCopying = (target: string): boolean =>
  existsSync(join(`${target}.partial`, "postgres", "cluster", "base"));
let upstream: ScriptedUpstream;
let gateway: Gateway;
/** An API key with money behind it. */
let secret: string;

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
  gateway = await startOn(dataDir, { STORAGE_URL: `file:${stored}` });
  const db = openDatabase({
    url: databaseUrl(),
    poolSize: 1,
    applicationName: "test",
    onError: () => undefined,
  });
  secret = (await newKey(db, await newAccount(db, "100000"))).secret;
  await db.close();
});
after(async () => {
  await gateway.stop();
  await upstream.close();
  rmSync(folder, { recursive: true, force: true });
});

function startOn(place: string, env: Settings = {}): Promise<Gateway> {
  const catalogue = `
upstreams: { up: { protocol: openai, baseUrl: "${upstream.url}/v1", apiKeyEnv: KEY, maxConcurrent: 100 } }
models: { m: { type: chat, endpoints: [chat.completions], contextTokens: 9000, maxOutputTokens: 900, price: { input: "100", output: "200" }, routes: [ { upstream: up, model: m } ] } }
`;
  return startGateway({ databaseUrl: null, dataDir: place, catalogue, env: { KEY: "x", ...env } });
}

async function ask(server: Gateway, path: string, init: RequestInit = {}): Promise<Response> {
  const answer = await fetch(server.url + path, {
    ...init,
    headers: { authorization: `Bearer ${secret}`, ...init.headers },
  });
  assert.equal(answer.status, 200, `${path}: ${answer.ok ? "" : await answer.text()}`);
  return answer;
}

/** A charged request's id. */
async function chat(server = gateway): Promise<string> {
  const body = JSON.stringify({
    model: "m",
    max_tokens: 50,
    messages: [{ role: "user", content: "Are you there?" }],
  });
  const answer = await ask(server, "/v1/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  await answer.arrayBuffer();
  return answer.headers.get("x-request-id") ?? "";
}

async function balanceNano(server: Gateway): Promise<bigint> {
  const { balance } = (await (await ask(server, "/v1/balance")).json()) as { balance: string };
  return parseRoubles(balance) ?? assert.fail(balance);
}

async function upload(text: string): Promise<void> {
  const form = new FormData();
  form.append("file", new Blob([text]), "words.txt");
  await (await ask(gateway, "/v1/storage/upload", { method: "POST", body: form })).arrayBuffer();
}

interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

/** Everything that a list has; `read` finds it in an answer. */
async function all<T>(
  server: Gateway,
  path: string,
  read: (body: unknown) => Page<T>,
): Promise<T[]> {
  const items: T[] = [];
  for (let cursor = ""; ;) {
    const page = read(await (await ask(server, `${path}?limit=100${cursor}`)).json());
    items.push(...page.items);
    if (page.nextCursor === null) return items;
    cursor = `&cursor=${page.nextCursor}`;
  }
}

async function requestIds(server: Gateway): Promise<string[]> {
  const found = await all(server, "/v1/requests", (body) => {
    const { data, nextCursor } = body as { data: { id: string }[]; nextCursor: string | null };
    return { items: data, nextCursor };
  });
  return found.map(({ id }) => id);
}

async function filePaths(server: Gateway): Promise<string[]> {
  const found = await all(server, "/v1/storage/files", (body) => {
    const { files, nextCursor } = (
      body as { data: { files: { url: string }[]; nextCursor: string | null } }
    ).data;
    return { items: files, nextCursor };
  });
  return found.map(({ url }) => new URL(url).pathname);
}

interface Load extends AsyncDisposable {
  /** Of charged requests whose answer has arrived. */
  readonly requestIds: readonly string[];
  readonly uploads: number;
}

/** Clients that ask and upload all the time. What fails, fails the test when it ends. */
function startLoad(): Load {
  const ids: string[] = [];
  let uploads = 0;
  let stopped = false;
  const chats = Array.from({ length: CLIENTS }, async () => {
    while (!stopped) ids.push(await chat());
  });
  const uploading = (async () => {
    for (; !stopped; uploads++) await upload(`words ${uploads}`).then(() => sleep(UPLOAD_PAUSE_MS));
  })();
  const ended = Promise.allSettled([...chats, uploading]);
  return {
    requestIds: ids,
    get uploads() {
      return uploads;
    },
    async [Symbol.asyncDispose]() {
      stopped = true;
      for (const each of await ended) if (each.status === "rejected") throw each.reason;
    },
  };
}

interface Command {
  signal(name: NodeJS.Signals): void;
  readonly ended: Promise<{
    readonly code: number | null;
    readonly stdout: string;
    readonly stderr: string;
  }>;
}

/** `tollgate backup` beside the gateway. */
function startBackup(target: string): Command {
  const options = { cwd: folder, env: tollgateEnvironment(gateway.env) };
  const child = spawn(process.execPath, [CLI, "backup", target, "--json"], {
    ...options,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const reported = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (reported.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (reported.stderr += text));
  const ended = once(child, "close").then(([code]) => ({
    code: code as number | null,
    ...reported,
  }));
  return { signal: (name) => void child.kill(name), ended };
}

/** The same in this process. */
function backUp(target: string, place = dataDir, filesFolder = stored): Promise<Backup> {
  const signal = new AbortController().signal;
  return backUpInstallation({
    dataDir: place,
    filesFolder,
    folder: target,
    signal,
    onProgress: () => undefined,
  });
}

/** Of the gateway's own server. */
function databaseUrl(): string {
  return (
    JSON.parse(readFileSync(join(dataDir, "postgres", "server.json"), "utf8")) as { url: string }
  ).url;
}

/** On the gateway's database, as who may do everything. */
async function sql(...statements: readonly string[]): Promise<unknown[]> {
  const client = new Client({
    connectionString: databaseUrl().replace("user=tollgate", "user=postgres"),
  });
  await client.connect();
  try {
    let rows: unknown[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
}

const noSlot = async (): Promise<boolean> =>
  (await sql("SELECT slot_name FROM pg_replication_slots")).length === 0;

test("a backup under load, through checkpoints, starts and has everything that was acknowledged before it", async () => {
  const target = join(folder, "night");
  const archive = await openArchiveStorage(`file:${stored}`);
  await archive.put("entries202601x1.parquet", Readable.from([Buffer.from("rows")]), {
    contentType: "application/vnd.apache.parquet",
  });
  let [charged, uploads]: [string[], number] = [[], 0];
  let over = false;
  {
    await using load = startLoad();
    await until(
      "the load has begun",
      async () => load.requestIds.length >= 50 && load.uploads >= 5,
    );
    [charged, uploads] = [[...load.requestIds], load.uploads];
    const running = startBackup(target);
    await until("it copies", async () => isCopying(target));
    const ids = load.requestIds.length;
    const ended = running.ended.finally(() => (over = true));
    // What has been copied already changes on the disk, and what the log began with is written over
    // if it may be.
    for (let round = 0; !over; round++)
      await sql(...(round < PIECES_OF_LOG ? ["SELECT pg_switch_wal()"] : []), "CHECKPOINT");
    const { code, stdout, stderr } = await ended;
    assert.equal(code, 0, stderr);
    assert.equal((JSON.parse(stdout) as Backup).folder, target);
    assert.ok(load.requestIds.length > ids, "the gateway served");
  }
  assert.ok(await noSlot());
  assert.equal(statSync(target).mode & 0o777, 0o700);
  assert.equal(existsSync(`${target}.partial`), false);
  assert.deepEqual(readdirSync(join(target, "postgres")), ["cluster"]);
  const archived = await openArchiveStorage(`file:${join(target, "files")}`);
  assert.equal(await archived.size("entries202601x1.parquet"), 4, "closed months belong to it");
  assert.equal(
    readFileSync(join(target, "session-secret"), "utf8"),
    readFileSync(join(dataDir, "session-secret"), "utf8"),
  );

  // Started where it is: there is nothing else to a restore.
  await createTollgateCommand({ DATA_DIR: target }).verifyLedger();
  assert.match(
    readFileSync(join(target, "postgres", "postgres.log"), "utf8"),
    /completed backup recovery/,
  );
  {
    await using restored = await startOn(target);
    const found = new Set(await requestIds(restored));
    const missing = charged.filter((id) => !found.has(id));
    assert.equal(missing.length, 0, `${missing.length} of ${charged.length} requests are missing`);
    const paths = await filePaths(restored);
    assert.ok(paths.length >= uploads, `${paths.length} files of ${uploads}`);
    for (const path of paths) assert.match(await (await ask(restored, path)).text(), /^words \d+$/);
    const balance = await balanceNano(restored);
    await chat(restored);
    assert.equal(await balanceNano(restored), balance - CHAT_NANO, "it goes on");
    await createTollgateCommand(restored.env).verifyLedger();
  }

  // Once more, from where files lie by default, and without a server that runs: the backup runs
  // one.
  const again = await backUp(join(folder, "again"), target, join(target, "files"));
  assert.ok(existsSync(join(again.folder, "postgres", "cluster", "backup_label")));
  const stay = readdirSync(join(target, "files")).filter((name) => name !== ".tmp");
  assert.deepEqual(readdirSync(join(again.folder, "files")).toSorted(), stay.toSorted());
});

test("a backup that is killed or interrupted leaves no backup and an unharmed gateway, and the next one works, beside another", async () => {
  const [target, other] = [join(folder, "first"), join(folder, "second")];
  const killed = startBackup(target);
  await until("it copies", async () => isCopying(target));
  killed.signal("SIGKILL");
  await killed.ended;
  assert.equal(existsSync(target), false);
  await chat();
  await until("the server keeps no log for it", noSlot);

  const interrupted = startBackup(other);
  await until("it copies", async () => isCopying(other));
  interrupted.signal("SIGTERM");
  const { code, stderr } = await interrupted.ended;
  assert.deepEqual([code, stderr.includes("interrupted")], [1, true], stderr);
  assert.deepEqual([existsSync(other), isCopying(other)], [false, false]);

  // Of two into the same folder one is refused, whichever comes second; one into another folder is
  // not in their way.
  const ended = await Promise.allSettled([backUp(target), backUp(target), backUp(other)]);
  assert.deepEqual(
    ended
      .slice(0, 2)
      .map(({ status }) => status)
      .toSorted(),
    ["fulfilled", "rejected"],
  );
  assert.equal(ended[2]?.status, "fulfilled");
  for (const each of [target, other]) {
    assert.ok(existsSync(join(each, "postgres", "cluster", "backup_label")));
    assert.equal(existsSync(`${each}.partial`), false);
  }
  await chat();
});
