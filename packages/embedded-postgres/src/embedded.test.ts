/**
 * The embedded server with real processes: one owner, nothing acknowledged lost, nothing left
 * behind, whichever process is killed.
 */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  embeddedProcess,
  serverProcesses,
  type EmbeddedProcess,
} from "../test/embedded-process.ts";
import { isOutage, openPool, type TestPool } from "../test/open-pool.ts";
import { attachEmbedded } from "./attach-embedded.ts";
import { readState } from "./server-state.ts";
import { chooseServerUser } from "./server-user.ts";
import { startEmbedded } from "./start-embedded.ts";
import { removeSocketFolder } from "./socket-folder.ts";

const isRoot = process.getuid?.() === 0;
const onLinux = process.platform === "linux";
const notRoot = isRoot ? false : "needs root: only root switches to another user";

/** A database made once and copied, because making one takes longer than everything else here. */
let model: string;
let dataDir: string;
const started: EmbeddedProcess[] = [];
const databases: TestPool[] = [];
beforeEach(() => {
  // mkdtemp makes a folder of mode 700: as root, every test here runs below a folder that the
  // server's user may not enter.
  dataDir = join(mkdtempSync(join(tmpdir(), "tollgate-embedded-")), "data");
});
afterEach(async () => {
  for (const db of databases.splice(0)) await db.close();
  for (const one of started.splice(0)) await one.stop();
  // A busy machine takes its time to bury the last backends.
  for (let tries = 0; onLinux && tries < 100 && serverProcesses(dataDir).length > 0; tries++)
    await sleep(100);
  if (onLinux)
    assert.deepEqual(serverProcesses(dataDir), [], "an orderly end leaves no server process");
  const left = readState(join(dataDir, "postgres", "server.json")); // of an owner that was killed
  if (left !== null) removeSocketFolder(left.socketFolder);
  rmSync(dirname(dataDir), { recursive: true, force: true });
});
before(async () => {
  model = mkdtempSync(join(tmpdir(), "tollgate-embedded-model-"));
  const one = embeddedProcess(model, "serve");
  assert.ok(await one.reported("up"));
  await one.stop();
});
after(() => rmSync(model, { recursive: true, force: true }));

/** Starts from an existing, cleanly stopped database. */
function useModel(): void {
  execFileSync("cp", ["-Rp", model, dataDir]);
}

function start(
  purpose: "serve" | "command",
  options: { detached?: boolean } = {},
): EmbeddedProcess {
  const one = embeddedProcess(dataDir, purpose, options);
  started.push(one);
  return one;
}

async function startUp(
  purpose: "serve" | "command",
  options: { detached?: boolean } = {},
): Promise<{ one: EmbeddedProcess; url: string; pid: number }> {
  const one = start(purpose, options);
  const up = await one.reported("up");
  if (up === null)
    assert.fail((await one.reported("refused"))?.message ?? "the process ended without a word");
  return { one, url: up.url, pid: up.pid };
}

function open(url: string): TestPool {
  const db = openPool(url);
  databases.push(db);
  return db;
}

async function closeAll(): Promise<void> {
  for (const db of databases.splice(0)) await db.close();
}

/** Asks until the database answers again. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isOutage(error)) throw error;
      await sleep(10);
    }
  }
}

async function untilNoServer(withinMs: number): Promise<void> {
  const until = performance.now() + withinMs;
  while (serverProcesses(dataDir).length > 0) {
    assert.ok(performance.now() < until, `server processes are left after ${withinMs} ms`);
    await sleep(20);
  }
}

/** Fields of /proc/PID/stat after the name: state, parent, process group, session, … */
function processFields(pid: number): string[] {
  return readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
}

const processGroup = (pid: number): number => Number(processFields(pid)[2]);

/** The shells in the server's session. */
function watchdogs(serverPid: number): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter(
      (pid) =>
        pid > 0 &&
        pid !== serverPid &&
        existsSync(`/proc/${pid}/stat`) &&
        Number(processFields(pid)[3]) === serverPid,
    );
}

const write = (db: TestPool, n: number): Promise<unknown[]> =>
  db.query("INSERT INTO kept VALUES ($1)", [n]);
const read = async (db: TestPool): Promise<number[]> =>
  (await db.query<{ n: number }>("SELECT n FROM kept ORDER BY n")).map(({ n }) => n);

test("the first start makes a durable database; the second finds its data, for another process", async () => {
  const first = await startUp("serve");
  const db = open(first.url);
  const settings = await db.query<{ setting: string }>(
    `SELECT setting FROM pg_settings WHERE name IN ('autovacuum', 'data_checksums', 'fsync', 'full_page_writes', 'listen_addresses', 'synchronous_commit', 'TimeZone') ORDER BY lower(name)`,
  );
  assert.deepEqual(
    settings.map(({ setting }) => setting),
    ["on", "on", "on", "on", "", "on", "UTC"],
  );
  const [role] = await db.query("SELECT rolsuper FROM pg_roles WHERE rolname = current_user");
  assert.deepEqual(role, { rolsuper: false });
  await db.query("CREATE TABLE kept (n integer)");
  await write(db, 1);
  await closeAll();
  await first.one.stop();
  const second = await startUp("serve");
  assert.deepEqual(await read(open(second.url)), [1]);
});

test("strings sort and change case the same everywhere, and Russian is known", async () => {
  useModel();
  const { url } = await startUp("serve");
  const [row] = await open(url).query(
    "SELECT lower('ЁЖ') AS lower, array(SELECT x FROM unnest(ARRAY['б','а','B','a']) x ORDER BY x) AS sorted",
  );
  assert.deepEqual(row, { lower: "ёж", sorted: ["B", "a", "а", "б"] });
});

test("the socket is for the server's own user: no other user may even enter its folder", async () => {
  useModel();
  const { url } = await startUp("serve");
  const folder = new URL(url).searchParams.get("host") ?? "";
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  if (isRoot) assert.notEqual(statSync(folder).uid, 0);
});

test("a second server on the same data directory is refused by name, and the first one goes on", async () => {
  useModel();
  const first = await startUp("serve");
  const second = start("serve");
  const refused = await second.reported("refused");
  assert.match(
    refused?.message ?? "",
    new RegExp(
      `another server \\(pid ${first.one.child.pid}\\) already runs the database in .*set another DATA_DIR`,
    ),
  );
  assert.deepEqual(await open(first.url).query("SELECT 1 AS one"), [{ one: 1 }]);
});

test("that the directory is ours is reported once, before the server is up, and never where another has it", async () => {
  useModel();
  const events: string[] = [];
  const options = {
    dataDir,
    purpose: "serve",
    log: () => undefined,
    onHeld: () => events.push("held"),
  } as const;
  const server = await startEmbedded(options);
  try {
    events.push("up");
    await assert.rejects(startEmbedded(options), /another server/);
    assert.deepEqual(events, ["held", "up"]);
  } finally {
    await server.stop();
  }
});

test("of several processes that start on a fresh directory at the same instant exactly one wins", async () => {
  const all = Array.from({ length: 4 }, () => start("serve"));
  const ups = await Promise.all(all.map((one) => one.reported("up")));
  assert.equal(ups.filter((up) => up !== null).length, 1);
  const refusals = await Promise.all(
    all.filter((_, index) => ups[index] === null).map((one) => one.reported("refused")),
  );
  for (const refused of refusals) assert.match(refused?.message ?? "", /already runs the database/);
});

test(
  "kill -9 of the owner leaves no server within ten seconds, and what was acknowledged is there afterwards",
  { skip: !onLinux },
  async () => {
    useModel();
    const first = await startUp("serve");
    const db = open(first.url);
    await db.query("CREATE TABLE kept (n integer)");
    await write(db, 1);
    await first.one.kill();
    await untilNoServer(10_000);
    await closeAll();
    const second = await startUp("serve");
    assert.deepEqual(await read(open(second.url)), [1]);
  },
);

test(
  "signals to the owner's process group miss the server, yet kill -9 of the whole group leaves none",
  { skip: !onLinux },
  async () => {
    useModel();
    const { one, pid } = await startUp("serve", { detached: true });
    assert.notEqual(processGroup(pid), one.child.pid);
    process.kill(-(one.child.pid ?? Number.NaN), "SIGKILL");
    await untilNoServer(10_000);
  },
);

test(
  "a server whose watchdog and owner are gone is ended by the next owner",
  { skip: !onLinux },
  async () => {
    useModel();
    const first = await startUp("serve");
    for (const pid of watchdogs(first.pid)) process.kill(pid, "SIGKILL");
    await first.one.kill();
    assert.ok(serverProcesses(dataDir).includes(first.pid));
    const second = await startUp("serve");
    assert.equal(serverProcesses(dataDir).includes(first.pid), false);
    assert.deepEqual(await open(second.url).query("SELECT 1 AS one"), [{ one: 1 }]);
  },
);

test(
  "kill -9 of the owner and a new start at once: the new owner ends the old server and has its data",
  { skip: !onLinux },
  async () => {
    useModel();
    const first = await startUp("serve");
    const db = open(first.url);
    await db.query("CREATE TABLE kept (n integer)");
    await write(db, 1);
    await first.one.kill();
    const second = await startUp("serve");
    assert.notEqual(second.pid, first.pid);
    assert.deepEqual(await read(open(second.url)), [1]);
  },
);

test("kill -9 of the server under a living owner: it comes back at the same address with everything that was acknowledged", async () => {
  useModel();
  const { one, url } = await startUp("serve");
  const db = open(url);
  await db.query("CREATE TABLE kept (n integer)");
  const life = async (): Promise<string> =>
    (await db.query<{ at: string }>("SELECT pg_postmaster_start_time()::text AS at"))[0]?.at ?? "";
  for (let n = 0; n < 3; n++) {
    await write(db, n);
    const formerLife = await life();
    process.kill(
      Number(
        readFileSync(join(dataDir, "postgres", "cluster", "postmaster.pid"), "utf8").split("\n")[0],
      ),
      "SIGKILL",
    );
    // A session may answer once more before it notices.
    while ((await patiently(life)) === formerLife) await sleep(5);
  }
  assert.deepEqual(await read(db), [0, 1, 2]);
  assert.match(
    (await one.reported("log"))?.line ?? "",
    /the database server ended \(signal SIGKILL\); starting it again/,
  );
});

test("a server that is asked to stop while it is being brought back stops", async () => {
  useModel();
  const { one, url, pid } = await startUp("serve");
  await open(url).query("SELECT 1");
  process.kill(pid, "SIGKILL");
  const startedAt = performance.now();
  await closeAll();
  await one.stop();
  assert.ok(performance.now() - startedAt < 9_000, "no stop needed its deadline");
});

test("kill -9 of owner and server: the next start recovers", { skip: !onLinux }, async () => {
  useModel();
  const first = await startUp("serve");
  const db = open(first.url);
  await db.query("CREATE TABLE kept (n integer)");
  await write(db, 1);
  process.kill(first.pid, "SIGKILL");
  await first.one.kill();
  const second = await startUp("serve");
  assert.deepEqual(await read(open(second.url)), [1]);
});

test("a stale pid file whose pid belongs to another process by now, and leftover sockets, do not stand in the way", async () => {
  useModel();
  const first = await startUp("serve");
  await first.one.stop();
  const cluster = join(dataDir, "postgres", "cluster");
  const user = chooseServerUser(cluster);
  // Of the server's user, because PostgreSQL itself takes any living process of its user for a
  // server. Not a server, although it stands in the folder like one.
  const somebody = spawn("sleep", ["600"], {
    cwd: cluster,
    stdio: "ignore",
    ...(user === null ? {} : { uid: user.uid, gid: user.gid }),
  });
  writeFileSync(
    join(cluster, "postmaster.pid"),
    `${somebody.pid}\n/proc/self/cwd\n1\n5432\n/tmp\n\n  1 1\nready   \n`,
  );
  const oldSocket = mkdtempSync(join(tmpdir(), "tollgate-pg-"));
  writeFileSync(join(oldSocket, ".s.PGSQL.5432.lock"), `${somebody.pid}\n`);
  const state = {
    ownerPid: process.pid,
    purpose: "serve",
    socketFolder: oldSocket,
    url: `postgresql:///tollgate?host=${oldSocket}&user=tollgate`,
  };
  writeFileSync(join(dataDir, "postgres", "server.json"), JSON.stringify(state));
  assert.equal(await attachEmbedded({ dataDir }), null);
  await startUp("serve");
  assert.equal(existsSync(oldSocket), false);
  assert.equal(somebody.exitCode ?? somebody.signalCode, null, "the stranger lives");
  somebody.kill();
});

test("a first start that is killed while it makes the database does not poison the directory", async () => {
  const first = start("serve");
  const folder = join(dataDir, "postgres");
  const draft = (): string | undefined =>
    existsSync(folder)
      ? readdirSync(folder).find((name) => name.startsWith("cluster.draft-"))
      : undefined;
  while (draft() === undefined || !existsSync(join(folder, draft() ?? "", "PG_VERSION")))
    await sleep(1);
  await first.kill();
  assert.equal(existsSync(join(folder, "cluster")), false);
  const { url } = await startUp("serve");
  assert.deepEqual(await open(url).query("SELECT 1 AS one"), [{ one: 1 }]);
  assert.equal(draft(), undefined);
});

test(
  "as root, parents of mode 700 are left as they are and the server runs as another user",
  { skip: notRoot },
  async () => {
    useModel();
    const { pid } = await startUp("serve");
    assert.equal(statSync(dirname(dataDir)).mode & 0o777, 0o700);
    assert.notEqual(statSync(`/proc/${pid}`).uid, 0);
    const groups = readFileSync(`/proc/${pid}/status`, "utf8")
      .match(/^Groups:[ \t]*(.*)$/m)?.[1]
      ?.trim();
    assert.ok(
      groups === "" || groups === String(statSync(`/proc/${pid}`).gid),
      `supplementary groups are dropped: ${groups}`,
    );
  },
);

test(
  "a database restored by root, with root's ownership and mode 755, is put right",
  { skip: notRoot },
  async () => {
    useModel();
    const first = await startUp("serve");
    await first.one.stop();
    const cluster = join(dataDir, "postgres", "cluster");
    for (const name of readdirSync(cluster, { recursive: true, encoding: "utf8" }))
      chownSync(join(cluster, name), 0, 0);
    chownSync(cluster, 0, 0);
    chmodSync(cluster, 0o755);
    const { url } = await startUp("serve");
    assert.deepEqual(await open(url).query("SELECT 1 AS one"), [{ one: 1 }]);
  },
);

test("files of another PostgreSQL version, or of something else, are refused with advice and not touched", async () => {
  const cluster = join(dataDir, "postgres", "cluster");
  mkdirSync(cluster, { recursive: true, mode: 0o700 });
  writeFileSync(join(cluster, "precious"), "");
  assert.match(
    (await start("serve").reported("refused"))?.message ?? "",
    /is not a PostgreSQL database and not empty/,
  );
  writeFileSync(join(cluster, "PG_VERSION"), "12\n");
  assert.match(
    (await start("serve").reported("refused"))?.message ?? "",
    /was made by PostgreSQL 12, and this version of Tollgate brings 18/,
  );
  assert.deepEqual(readdirSync(cluster), ["PG_VERSION", "precious"]);
});

test("a command uses the running server, and its end leaves the server running", async () => {
  useModel();
  const server = await startUp("serve");
  const command = await startUp("command");
  assert.deepEqual([command.url, command.pid], [server.url, server.pid]);
  assert.equal(await attachEmbedded({ dataDir }), server.url);
  await command.one.stop();
  assert.deepEqual(await open(server.url).query("SELECT 1 AS one"), [{ one: 1 }]);
});

test("a command without a server runs one and ends it; another command that came meanwhile is not cut off", async () => {
  useModel();
  const first = await startUp("command");
  const second = await startUp("command");
  assert.equal(second.url, first.url);
  let ended = false;
  const stopping = first.one.stop().then(() => (ended = true));
  assert.match(
    (await first.one.reported("log"))?.line ?? "",
    /other commands still use the database/,
  );
  const db = open(second.url);
  assert.deepEqual(await db.query("SELECT 1 AS one"), [{ one: 1 }]);
  await closeAll();
  assert.equal(ended, false);
  await second.one.stop();
  await stopping;
  assert.equal(await attachEmbedded({ dataDir }), null);
});

test("serve waits for a command that runs the server, then runs its own", async () => {
  useModel();
  const command = await startUp("command");
  const server = start("serve");
  assert.match(
    (await server.reported("log"))?.line ?? "",
    new RegExp(`a command \\(pid ${command.one.child.pid}\\) uses the database`),
  );
  await command.one.stop();
  const up = await server.reported("up");
  assert.notEqual(up?.pid, command.pid);
});

test("several commands at the same instant on a fresh directory all get the same server", async () => {
  const all = await Promise.all(Array.from({ length: 3 }, () => startUp("command")));
  assert.equal(new Set(all.map(({ url }) => url)).size, 1);
  await Promise.all(all.map(({ one }) => one.stop()));
});

test("a server that cannot be brought back is given up aloud, with the end of its log", async () => {
  useModel();
  const { one, pid } = await startUp("serve");
  const control = join(dataDir, "postgres", "cluster", "global", "pg_control");
  renameSync(control, `${control}.away`);
  process.kill(pid, "SIGKILL");
  const fatal = await one.reported("fatal");
  assert.match(fatal?.message ?? "", /does not start[^]*pg_control/);
  await one.kill();
});
