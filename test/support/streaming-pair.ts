/**
 * A primary and a streaming standby of it, by the programs that come with us: the standby is a copy of
 * the primary's files at rest, which needs no pg_basebackup.
 */
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  closeSync,
  cpSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { ROLE } from "#embedded-postgres/init-cluster.ts";
import { startPostmaster, type Postmaster } from "#embedded-postgres/postmaster.ts";
import { makeSocketFolder, removeSocketFolder } from "#embedded-postgres/socket-folder.ts";
import { newSocketCluster } from "./new-cluster.ts";
import { fastFolder } from "./test-cluster.ts";

export interface StreamingServer {
  /** As the gateway's role, in its database. */
  readonly url: string;
  /** As the superuser; the first value of the first row. */
  ask(sql: string): Promise<unknown>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface StreamingPair extends AsyncDisposable {
  readonly primary: StreamingServer;
  readonly standby: StreamingServer;
}

const SETTINGS = {
  shared_buffers: "32MB",
  jit: "off",
  timezone: "UTC",
  fsync: "off",
  wal_level: "replica",
};

export async function startStreamingPair(): Promise<StreamingPair> {
  const base = mkdtempSync(join(fastFolder(), "pair-"));
  chmodSync(base, 0o711);
  const cluster = await newSocketCluster(base);
  // No line for databases lets a standby in.
  appendFileSync(
    join(cluster.clusterDir, "pg_hba.conf"),
    "local replication all peer map=tollgate\n",
  );
  const copy = join(base, "standby");
  const sockets = makeSocketFolder(cluster.user);
  const followed = `host=${cluster.socketFolder} user=postgres`;

  function openServer(
    at: { readonly clusterDir: string; readonly socketFolder: string },
    settings: Readonly<Record<string, string>>,
  ): StreamingServer {
    let server: Postmaster | null = null;
    const logFile = join(base, `${at === cluster ? "primary" : "standby"}.log`);
    const urlOf = (role: string): string =>
      `postgresql:///${ROLE}?host=${at.socketFolder}&user=${role}`;
    return {
      url: urlOf(ROLE),
      async ask(sql) {
        const client = new Client({ connectionString: urlOf("postgres") });
        await client.connect();
        try {
          const { rows } = await client.query<Record<string, unknown>>(sql);
          return Object.values(rows[0] ?? {})[0];
        } finally {
          await client.end();
        }
      },
      async start() {
        const logFd = openSync(logFile, "a");
        const started = startPostmaster({
          ...cluster,
          ...at,
          logFd,
          orphaned: "interrupt",
          settings: { ...SETTINGS, ...settings },
        });
        closeSync(logFd);
        server = started;
        if (!(await started.ready())) throw new Error(readFileSync(logFile, "utf8"));
      },
      async stop() {
        server?.signal("SIGINT");
        await server?.ended;
        server = null;
      },
    };
  }

  const primary = openServer(cluster, {});
  const standby = openServer(
    { clusterDir: copy, socketFolder: sockets },
    { primary_conninfo: followed },
  );
  await primary.start();
  await primary.stop();
  cpSync(cluster.clusterDir, copy, { recursive: true });
  writeFileSync(join(copy, "standby.signal"), "");
  chmodSync(copy, 0o700);
  if (cluster.user !== null)
    execFileSync("chown", ["-R", `${cluster.user.uid}:${cluster.user.gid}`, copy]);
  await primary.start();
  await standby.start();
  return {
    primary,
    standby,
    async [Symbol.asyncDispose]() {
      await standby.stop();
      await primary.stop();
      removeSocketFolder(sockets);
      removeSocketFolder(cluster.socketFolder);
      rmSync(base, { recursive: true, force: true });
    },
  };
}
