/**
 * A fresh migrated database for one test file, cloned from a template in a shared throw-away
 * cluster.
 */
import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  cpSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  utimesSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, DatabaseError } from "pg";
import { openDatabase, type Db } from "../../src/db/database.ts";
import { migrate } from "../../src/db/migrate.ts";
import { readMigrations } from "../../src/db/read-migrations.ts";
import { VERSION } from "../../src/process/project-root.ts";

const MIGRATIONS = join(import.meta.dirname, "../../migrations");
const MIGRATE = join(import.meta.dirname, "../../src/db/migrate.ts");
const KEEPER = join(import.meta.dirname, "cluster-keeper.ts");
const CLUSTER_WAIT_MS = 30_000;
/** How long a migration that fails is given to become a good one: someone may be writing it. */
const MIGRATION_PATIENCE_MS = 8_000;
const KEPT_TEMPLATES = 4;

export interface TestDatabase {
  readonly url: string;
  readonly db: Db;
  /** Closes `db` and removes the database, whatever else is connected. */
  drop(): Promise<void>;
}

/**
 * The cluster is the one that is named, else TEST_DATABASE_URL (a role that may create databases) where it is set, else a
 * shared one under the temporary folder that is started on demand and ends by itself ten minutes
 * after its last use.
 */
export async function testDatabase(cluster: string | null = null): Promise<TestDatabase> {
  const clusterUrl = cluster ?? process.env["TEST_DATABASE_URL"] ?? (await sharedCluster());
  const name = `test_${process.pid}_${randomBytes(6).toString("hex")}`;
  await withClient(clusterUrl, (client) => cloneTemplate(client, clusterUrl, name));
  const url = withDatabase(clusterUrl, name);
  const db = openDatabase({
    url,
    poolSize: 10,
    applicationName: `tollgate test ${process.pid}`,
    onError: () => {},
  });
  return {
    url,
    db,
    async drop() {
      await db.close();
      await withClient(clusterUrl, (client) => dropDatabase(client, name));
    },
  };
}

/** While autovacuum is at work in it, only a superuser may drop it by force; it is soon done. */
async function dropDatabase(client: Client, name: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      return;
    } catch (error) {
      if (tries === 20 || !String(error).includes("permission denied to terminate process"))
        throw error;
      await sleep(250);
    }
  }
}

/** The same server, another database. */
function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.toString();
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({
    connectionString: url,
    application_name: "tollgate test support",
    connectionTimeoutMillis: 10_000,
  });
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function sharedCluster(): Promise<string> {
  const folder = join(tmpdir(), `tollgate-test-cluster-${process.getuid?.() ?? 0}`);
  const deadline = Date.now() + CLUSTER_WAIT_MS;
  let spawned = 0;
  while (Date.now() < deadline) {
    const url = await findCluster(folder);
    if (url !== null) return url;
    // One keeper wins the lock, the others end at once; asking again covers a keeper that was just
    // ending.
    if (Date.now() - spawned > 2_000) {
      spawned = Date.now();
      startKeeper(folder);
    }
    await sleep(50);
  }
  throw new Error(`no test cluster within ${CLUSTER_WAIT_MS} ms; see ${folder}.log`);
}

async function findCluster(folder: string): Promise<string | null> {
  try {
    const { url } = JSON.parse(readFileSync(join(folder, "server.json"), "utf8")) as {
      url: string;
    };
    const now = new Date();
    utimesSync(join(folder, "used"), now, now);
    await withClient(url, (client) => client.query("SELECT 1"));
    return url;
  } catch {
    return null;
  }
}

function startKeeper(folder: string): void {
  const log = openSync(`${folder}.log`, "w");
  const child = spawn(process.execPath, [KEEPER, folder], {
    cwd: "/",
    detached: true,
    stdio: ["ignore", log, log],
  });
  child.unref();
  closeSync(log);
}

/** Names a template by what is in it, builds it once under a lock, and clones it. */
async function cloneTemplate(client: Client, clusterUrl: string, name: string): Promise<void> {
  const deadline = Date.now() + MIGRATION_PATIENCE_MS;
  for (;;) {
    const snapshot = mkdtempSync(join(tmpdir(), "tollgate-test-migrations-"));
    try {
      // A copy, because the files may change while we work.
      cpSync(MIGRATIONS, snapshot, { recursive: true });
      const template = await ensureTemplate(client, clusterUrl, snapshot);
      await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
      return;
    } catch (error) {
      const gone = error instanceof DatabaseError && error.code === "3D000"; // someone tidied the template away
      if (!gone && Date.now() > deadline) throw error;
      await sleep(gone ? 10 : 1_000);
    } finally {
      rmSync(snapshot, { recursive: true, force: true });
    }
  }
}

async function ensureTemplate(
  client: Client,
  clusterUrl: string,
  directory: string,
): Promise<string> {
  const digest = createHash("sha256").update(readFileSync(MIGRATE));
  for (const migration of readMigrations(directory))
    digest.update(`${migration.name} ${migration.checksum}\n`);
  const template = `template_${digest.digest("hex").slice(0, 16)}`;
  const exists = async (): Promise<boolean> =>
    (await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [template])).rows.length >
    0;
  if (await exists()) return template;
  await client.query("SELECT pg_advisory_lock(hashtext('tollgate test template'))");
  try {
    if (await exists()) return template;
    // Only a finished template gets the name that others clone.
    const draft = `${template}_draft`;
    await client.query(`DROP DATABASE IF EXISTS ${draft} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${draft}`);
    await migrate({
      url: withDatabase(clusterUrl, draft),
      directory,
      version: VERSION,
      log: () => {},
    });
    await renameWhenFree(client, draft, template);
    await dropOldTemplates(client);
    return template;
  } finally {
    await client.query("SELECT pg_advisory_unlock(hashtext('tollgate test template'))");
  }
}

/** The migrating session takes a moment to be gone from the server after it said goodbye. */
async function renameWhenFree(client: Client, from: string, to: string): Promise<void> {
  for (let tried = 0; ; tried++) {
    try {
      await client.query(`ALTER DATABASE ${from} RENAME TO ${to}`);
      return;
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.code !== "55006" || tried > 200) throw error;
      await sleep(20);
    }
  }
}

async function dropOldTemplates(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    "SELECT datname AS name FROM pg_database WHERE datname LIKE 'template\\_%' ORDER BY oid DESC OFFSET $1",
    [KEPT_TEMPLATES],
  );
  for (const { name } of rows)
    await client.query(`DROP DATABASE IF EXISTS ${name}`).catch(() => {});
}
