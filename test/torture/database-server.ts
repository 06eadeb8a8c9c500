/**
 * The PostgreSQL of one run: a cluster of our own whose processes and disk can be hit, or a
 * database on the server of DATABASE_URL, of which only connections can be.
 */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, chmodSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { ROLE } from "#embedded-postgres/init-cluster.ts";
import { startPostmaster, type Postmaster } from "#embedded-postgres/postmaster.ts";
import { removeSocketFolder } from "#embedded-postgres/socket-folder.ts";
import { dialDatabase } from "../support/dial-database.ts";
import { newSocketCluster } from "../support/new-cluster.ts";
import { childrenOf } from "./children-of.ts";
import type { ProxyTarget } from "./postgres-proxy.ts";

/** What can be done to a server that is ours. */
export interface ServerFaults {
  /** kill -9 of one process that serves a connection, which makes the server restart itself. */
  killBackend(): Promise<boolean>;
  /** kill -9 of all its processes at once; it is started again. */
  killServer(): Promise<void>;
  /** Null where this user may not mount a file system. */
  readonly disk: { fill(): void; makeRoom(): Promise<void> } | null;
}

export interface TortureDatabase {
  /** Past every proxy. */
  readonly url: string;
  readonly target: ProxyTarget;
  /** Null for the server of DATABASE_URL. */
  readonly faults: ServerFaults | null;
  stop(): Promise<void>;
}

const DISK_SIZE = "800m";
const BLOCK = Buffer.alloc(1 << 20);
const SETTINGS = {
  shared_buffers: "64MB",
  max_connections: "200",
  jit: "off",
  timezone: "UTC",
  max_wal_size: "96MB",
  min_wal_size: "32MB",
};

export function openTortureDatabase(address: string | undefined): Promise<TortureDatabase> {
  return address === undefined ? startOwnServer() : makeDatabase(address);
}

/** A server whose processes all got SIGKILL needs nothing more than to be started again. */
async function startOwnServer(): Promise<TortureDatabase> {
  const base = mkdtempSync(join(tmpdir(), "torture-pg-"));
  chmodSync(base, 0o755);
  const mounted = mountDisk(base);
  const folder = join(base, "server");
  mkdirSync(folder, { mode: 0o755 });
  const cluster = await newSocketCluster(folder);
  const { socketFolder } = cluster;
  let stopping = false;
  let server: Postmaster;
  let starting: Promise<void> | null = null;

  /** Until it is ready: after a crash the old one's memory may be in use for a moment. */
  async function start(): Promise<void> {
    for (let tries = 0; !stopping; tries++) {
      const logFd = openSync(`${base}.log`, "a");
      server = startPostmaster({
        ...cluster,
        logFd,
        orphaned: "interrupt",
        settings: SETTINGS,
      });
      closeSync(logFd);
      if (await server.ready()) return supervise(server);
      if (tries > 300) throw new Error(`PostgreSQL does not start; see ${base}.log`);
      await sleep(200);
    }
  }
  /** A server that a full disk has ended ends when it likes: whenever that is, it is started again. */
  function supervise(started: Postmaster): void {
    void started.ended.then(() => {
      if (!stopping) starting = start();
      starting?.catch(() => undefined);
    });
  }
  await start();

  const filler = join(base, "filler");
  const disk = {
    fill() {
      const fd = openSync(filler, "w");
      try {
        for (;;) writeSync(fd, BLOCK);
      } catch {
        // It is full.
      } finally {
        closeSync(fd);
      }
    },
    async makeRoom() {
      rmSync(filler, { force: true });
      await starting;
    },
  };
  return {
    url: `postgresql:///${ROLE}?host=${socketFolder}&user=${ROLE}`,
    target: {
      dial: () => connect(join(socketFolder, ".s.PGSQL.5432")),
      user: ROLE,
      database: ROLE,
      password: "",
    },
    faults: {
      async killBackend() {
        const client = new Client({
          connectionString: `postgresql:///${ROLE}?host=${socketFolder}&user=${ROLE}`,
        });
        client.on("error", () => undefined);
        try {
          await client.connect();
          const { rows } = await client.query<{ pid: number }>(
            `SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
             ORDER BY (state = 'active') DESC, query_start DESC LIMIT 1`,
          );
          const pid = rows[0]?.pid;
          return pid !== undefined && process.kill(pid, "SIGKILL");
        } catch {
          return false;
        } finally {
          await client.end().catch(() => undefined);
        }
      },
      async killServer() {
        const family = childrenOf(server.pid);
        server.signal("SIGKILL");
        for (const pid of family) killProcess(pid);
        await server.ended;
        await sleep(0);
        await starting;
      },
      disk: mounted ? disk : null,
    },
    async stop() {
      stopping = true;
      server.signal("SIGINT");
      await server.ended;
      removeSocketFolder(socketFolder);
      if (mounted) execFileSync("umount", ["-l", base]);
      rmSync(base, { recursive: true, force: true });
      rmSync(`${base}.log`, { force: true });
    },
  };
}

function mountDisk(path: string): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_SIZE}`, "tmpfs", path], {
      stdio: "pipe",
    });
    return true;
  } catch {
    return false;
  }
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

async function makeDatabase(address: string): Promise<TortureDatabase> {
  const name = `torture_${randomBytes(6).toString("hex")}`;
  await onServer(address, `CREATE DATABASE ${name}`);
  const url = new URL(address);
  url.pathname = `/${name}`;
  return {
    url: url.toString(),
    target: {
      dial: () => dialDatabase(url),
      user: decodeURIComponent(url.username) || (url.searchParams.get("user") ?? ""),
      database: name,
      password: decodeURIComponent(url.password),
    },
    faults: null,
    stop: () => onServer(address, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

async function onServer(address: string, text: string): Promise<void> {
  const client = new Client({ connectionString: address });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
