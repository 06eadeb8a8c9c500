/**
 * A throw-away PostgreSQL on a TCP port whose certificate an authority of the test's own has made.
 */
import {
  chownSync,
  chmodSync,
  closeSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { folderForChild, spawnGuarded } from "#embedded-postgres/guarded-process.ts";
import { ROLE } from "#embedded-postgres/init-cluster.ts";
import { acceptsConnections } from "#embedded-postgres/postmaster.ts";
import type { ServerUser } from "#embedded-postgres/server-user.ts";
import { freePort } from "./free-port.ts";
import { newCluster } from "./new-cluster.ts";
import { createTestAuthority, type Identity } from "./test-authority.ts";

export interface TlsCluster {
  /**
   * `postgresql://…@HOST:PORT/…` without a query; HOST is `localhost`, which the certificate names,
   * or 127.0.0.1, which it does not.
   */
  address(host?: "localhost" | "127.0.0.1"): string;
  /** The certificate of the server's authority, and that of another one. */
  readonly authority: string;
  readonly stranger: string;
  /**
   * Another certificate of this authority, which the server shows to new connections;
   * it reads it as it does after `pg_ctl reload`.
   */
  renew(of: "authority" | "stranger"): void;
  stop(): Promise<void>;
}

export interface TlsClusterOptions {
  /** Lines of pg_hba.conf. */
  readonly access: string;
  /** Whether the server speaks TLS at all. */
  readonly ssl: boolean;
  /** Where its files lie; absent: the temporary folder. */
  readonly folder?: string;
}

export async function startTlsCluster({
  access,
  ssl,
  folder = tmpdir(),
}: TlsClusterOptions): Promise<TlsCluster> {
  const base = mkdtempSync(join(folder, "tls-cluster-"));
  chmodSync(base, 0o755);
  const { binaries, user, clusterDir } = await newCluster(base);
  const authorities = {
    authority: createTestAuthority(base, "authority"),
    stranger: createTestAuthority(base, "stranger"),
  };
  installIdentity(authorities.authority.issue(), clusterDir, user);
  writeFileSync(join(clusterDir, "pg_hba.conf"), access);
  const port = await freePort();
  const logFd = openSync(join(base, "log"), "a");
  const settings = {
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: "",
    fsync: "off",
    max_wal_size: "64MB",
    min_wal_size: "32MB",
    ...(ssl ? { ssl: "on", ssl_cert_file: "server.crt", ssl_key_file: "server.key" } : {}),
  };
  const child = spawnGuarded({
    program: binaries.postgres,
    args: [
      "-D",
      folderForChild(clusterDir),
      ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    ],
    cwd: clusterDir,
    user,
    stdio: ["ignore", logFd, logFd],
    orphaned: "interrupt",
  });
  closeSync(logFd);
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  // It listens before it is done with starting.
  for (let tries = 0; !acceptsConnections(clusterDir, child.pid ?? -1); tries += 1) {
    if (tries > 300 || child.exitCode !== null)
      throw new Error(`PostgreSQL with TLS did not start; see ${base}/log`);
    await sleep(50);
  }
  return {
    address: (host = "localhost") => `postgresql://${ROLE}@${host}:${port}/${ROLE}`,
    authority: authorities.authority.certificate,
    stranger: authorities.stranger.certificate,
    renew(of) {
      installIdentity(authorities[of].issue(), clusterDir, user);
      child.kill("SIGHUP");
    },
    async stop() {
      child.kill("SIGINT");
      await ended;
      rmSync(base, { recursive: true, force: true });
    },
  };
}

/** As the server's user reads it, in one step: a server that reads it anew finds the old or the new. */
function installIdentity(identity: Identity, clusterDir: string, user: ServerUser | null): void {
  for (const [name, text] of [
    ["server.crt", identity.cert],
    ["server.key", identity.key],
  ] as const) {
    const path = join(clusterDir, name);
    writeFileSync(`${path}.new`, text, { mode: 0o600 });
    if (user !== null) chownSync(`${path}.new`, user.uid, user.gid);
    renameSync(`${path}.new`, path);
  }
}
