/**
 * A throw-away PostgreSQL cluster for tests: fast instead of durable unless asked, gone when its
 * maker is gone.
 */
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { ROLE } from "#embedded-postgres/init-cluster.ts";
import { startPostmaster } from "#embedded-postgres/postmaster.ts";
import { removeSocketFolder } from "#embedded-postgres/socket-folder.ts";
import { newSocketCluster } from "./new-cluster.ts";

export interface TestCluster {
  /** Its role owns no superuser rights but may create databases. */
  readonly url: string;
  readonly pid: number;
  /** Resolves when the server process is gone, for whatever reason. */
  readonly ended: Promise<string>;
  /** Ends the server and removes its files. */
  stop(): Promise<void>;
}

/**
 * Speed for durability: right for data that is not needed after the test. TEST_DATABASE_FSYNC=on
 * keeps what production runs with.
 */
const FAST = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" };

/**
 * Starts a cluster in a new folder under the temporary folder. It ends with our process, even when
 * that is killed.
 *
 * @param programs a folder with another PostgreSQL's programs, which TEST_POSTGRES_BIN may name;
 *   null: those that come with it
 */
export async function startTestCluster(
  programs = process.env["TEST_POSTGRES_BIN"] ?? null,
): Promise<TestCluster> {
  removeAbandoned();
  const durable = process.env["TEST_DATABASE_FSYNC"] === "on";
  const base = mkdtempSync(join(durable ? tmpdir() : fastFolder(), "tollgate-test-"));
  const cluster = await newSocketCluster(base, programs);
  const { socketFolder } = cluster;
  const logFd = openSync(join(base, "postgres.log"), "a");
  const postmaster = startPostmaster({
    ...cluster,
    logFd,
    orphaned: "interrupt",
    settings: {
      shared_buffers: "128MB",
      max_connections: "300",
      jit: "off",
      timezone: "UTC",
      log_statement: "none",
      ...(durable ? {} : FAST),
    },
  });
  closeSync(logFd);
  const remove = (): void => {
    rmSync(base, { recursive: true, force: true });
    removeSocketFolder(socketFolder);
  };
  if (!(await postmaster.ready()))
    throw new Error(
      `the test cluster did not start (${await postmaster.ended}); see ${base}/postgres.log`,
    );
  const admin = new Client({
    connectionString: `postgresql:///postgres?host=${socketFolder}&user=postgres`,
  });
  await admin.connect();
  await admin.query(`ALTER ROLE ${ROLE} CREATEDB`);
  await admin.end();
  return {
    url: `postgresql:///${ROLE}?host=${socketFolder}&user=${ROLE}`,
    pid: postmaster.pid,
    ended: postmaster.ended,
    async stop() {
      postmaster.signal("SIGINT");
      await postmaster.ended;
      remove();
    },
  };
}

const MEMORY_FOLDER = "/dev/shm";
/** The clusters of a whole run stay below a tenth of it. */
const MEMORY_NEEDED_BYTES = 4 * 1024 ** 3;

/**
 * What is not flushed anyway may as well lie in memory: a disk that is busy with others makes a
 * commit wait for seconds.
 */
export function fastFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return bavail * bsize >= MEMORY_NEEDED_BYTES ? MEMORY_FOLDER : tmpdir();
  } catch {
    return tmpdir();
  }
}

const ABANDONED_AFTER_MS = 3_600_000;

/** Removes the files of clusters whose maker was killed: old, and without a living server. */
function removeAbandoned(): void {
  for (const folder of new Set([tmpdir(), fastFolder()])) removeAbandonedIn(folder);
}

function removeAbandonedIn(folder: string): void {
  for (const name of readdirSync(folder).filter((found) => /^tollgate-test-\w{6}$/.test(found))) {
    const base = join(folder, name);
    try {
      const cluster = statSync(join(base, "cluster")); // throws for a folder that is not a cluster's
      if (
        Date.now() - cluster.mtimeMs < ABANDONED_AFTER_MS ||
        isAlive(join(base, "cluster", "postmaster.pid"))
      )
        continue;
      rmSync(base, { recursive: true, force: true });
    } catch {
      continue; // something else, another user's, or being removed
    }
  }
}

function isAlive(pidFile: string): boolean {
  let pid: number;
  try {
    pid = Number(readFileSync(pidFile, "utf8").split("\n")[0]);
  } catch {
    return false;
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
