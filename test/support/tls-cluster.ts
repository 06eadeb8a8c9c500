/**
 * A throw-away PostgreSQL on a TCP port whose certificate an authority of the test's own has made;
 * by `openssl`, which has to be there.
 */
import { execFileSync } from "node:child_process";
import {
  chownSync,
  chmodSync,
  closeSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "node:net";
import { folderForChild, spawnGuarded } from "#embedded-postgres/guarded-process.ts";
import { ROLE } from "#embedded-postgres/init-cluster.ts";
import type { ServerUser } from "#embedded-postgres/server-user.ts";
import { freePort } from "./free-port.ts";
import { newCluster } from "./new-cluster.ts";

export interface TlsCluster {
  /**
   * `postgresql://…@HOST:PORT/…` without a query; HOST is `localhost`, which the certificate names,
   * or 127.0.0.1, which it does not.
   */
  address(host?: "localhost" | "127.0.0.1"): string;
  /** The certificate of the server's authority, and that of another one. */
  readonly authority: string;
  readonly stranger: string;
  stop(): Promise<void>;
}

export function hasOpenSsl(): boolean {
  try {
    execFileSync("openssl", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
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
  const files = makeCertificates(base, clusterDir, user);
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
  for (let tries = 0; !(await listens(port)); tries += 1) {
    if (tries > 300 || child.exitCode !== null)
      throw new Error(`PostgreSQL with TLS did not start; see ${base}/log`);
    await sleep(50);
  }
  return {
    address: (host = "localhost") => `postgresql://${ROLE}@${host}:${port}/${ROLE}`,
    ...files,
    async stop() {
      child.kill("SIGINT");
      await ended;
      rmSync(base, { recursive: true, force: true });
    },
  };
}

function makeCertificates(
  base: string,
  clusterDir: string,
  user: ServerUser | null,
): { readonly authority: string; readonly stranger: string } {
  const openssl = (...args: string[]): void =>
    void execFileSync("openssl", args, { cwd: base, stdio: "pipe" });
  for (const name of ["authority", "stranger"]) {
    const files = ["-keyout", `${name}.key`, "-out", `${name}.crt`];
    openssl(
      "req",
      "-x509",
      "-newkey",
      "rsa:2048",
      "-nodes",
      "-days",
      "2",
      "-subj",
      `/CN=${name}`,
      ...files,
    );
  }
  openssl(
    "req",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-subj",
    "/CN=localhost",
    "-keyout",
    "server.key",
    "-out",
    "server.csr",
  );
  writeFileSync(join(base, "names"), "subjectAltName=DNS:localhost\n");
  const authority = ["-CA", "authority.crt", "-CAkey", "authority.key", "-CAcreateserial"];
  openssl(
    "x509",
    "-req",
    "-in",
    "server.csr",
    ...authority,
    "-days",
    "2",
    "-extfile",
    "names",
    "-out",
    "server.crt",
  );
  for (const name of ["server.crt", "server.key"]) {
    const path = join(clusterDir, name);
    execFileSync("cp", [join(base, name), path]);
    chmodSync(path, 0o600);
    if (user !== null) chownSync(path, user.uid, user.gid);
  }
  return { authority: join(base, "authority.crt"), stranger: join(base, "stranger.crt") };
}

async function listens(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
  const answer = await promise;
  socket.destroy();
  return answer;
}
