/**
 * A process of its own that keeps one test cluster for all test processes of this user, and ends it
 * when it was unused for a while.
 */
import { chmodSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { startTestCluster } from "./test-cluster.ts";

const IDLE_LIMIT_MS = 10 * 60_000;
const LOOK_EVERY_MS = 10_000;

const folder = process.argv[2];
if (folder === undefined) throw new Error("usage: cluster-keeper.ts FOLDER");
mkdirSync(folder, { recursive: true, mode: 0o700 });
chmodSync(folder, 0o700);

// The kernel drops this lock with our process, so there is at most one keeper and never a stale
// lock.
const lock = new DatabaseSync(join(folder, "keeper.lock"));
try {
  lock.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE");
} catch {
  process.exit(0);
}

const used = join(folder, "used");
const address = join(folder, "server.json");
rmSync(address, { force: true });
writeFileSync(used, "");
const cluster = await startTestCluster();
let stopping = false;
const stop = async (): Promise<void> => {
  if (stopping) return;
  stopping = true;
  rmSync(address, { force: true });
  await cluster.stop();
  process.exit(0);
};
process.on("SIGTERM", () => void stop());
process.on("SIGINT", () => void stop());
void cluster.ended.then(stop);
writeFileSync(
  `${address}.new`,
  JSON.stringify({ url: cluster.url, keeperPid: process.pid, postmasterPid: cluster.pid }),
);
renameSync(`${address}.new`, address);

const client = new Client({
  connectionString: cluster.url,
  application_name: "tollgate test keeper",
});
client.on("error", () => void stop());
await client.connect();
let lastUsed = Date.now();
while (!stopping) {
  await sleep(LOOK_EVERY_MS);
  const { rows } = await client.query<{ clients: number }>(
    "SELECT count(*)::int AS clients FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
  );
  lastUsed = (rows[0]?.clients ?? 0) > 0 ? Date.now() : Math.max(lastUsed, statSync(used).mtimeMs);
  await dropAbandoned(client);
  if (Date.now() - lastUsed > IDLE_LIMIT_MS) await stop();
}

/** Test databases carry the pid of the process that made them: `test_PID_…`. */
async function dropAbandoned(connection: Client): Promise<void> {
  const { rows } = await connection.query<{ name: string }>(
    "SELECT datname AS name FROM pg_database WHERE datname LIKE 'test\\_%'",
  );
  for (const { name } of rows) {
    const pid = Number(name.split("_")[1]);
    try {
      process.kill(pid, 0);
    } catch {
      await connection.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`).catch(() => {});
    }
  }
}
