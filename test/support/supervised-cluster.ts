/**
 * A throw-away PostgreSQL that is started again whenever it ends, as a service manager would, with
 * the log of its transactions on a volume of its own.
 */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  closeSync,
  mkdtempSync,
  openSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ROLE } from "#embedded-postgres/init-cluster.ts";
import { startPostmaster, type Postmaster } from "#embedded-postgres/postmaster.ts";
import { removeSocketFolder } from "#embedded-postgres/socket-folder.ts";
import { newSocketCluster } from "./new-cluster.ts";

export interface SupervisedCluster {
  readonly url: string;
  /** How often its server has ended by itself so far. */
  readonly crashes: number;
  stop(): Promise<void>;
}

const AGAIN_MS = 200;
/**
 * No checkpoint comes between that would have files of the log used again, so that new ones are
 * needed soon.
 */
const SETTINGS = {
  shared_buffers: "64MB",
  max_wal_size: "2GB",
  checkpoint_timeout: "1h",
  min_wal_size: "32MB",
  fsync: "off",
  timezone: "UTC",
};

/** @param logVolume an empty folder, for `pg_wal` */
export async function startSupervisedCluster(logVolume: string): Promise<SupervisedCluster> {
  const base = mkdtempSync(join(tmpdir(), "supervised-pg-"));
  chmodSync(base, 0o755);
  const cluster = await newSocketCluster(base);
  const { clusterDir, socketFolder, user } = cluster;
  chmodSync(logVolume, 0o755);
  const log = join(logVolume, "pg_wal");
  execFileSync("mv", [join(clusterDir, "pg_wal"), log]);
  symlinkSync(log, join(clusterDir, "pg_wal"));
  if (user !== null) chownSync(log, user.uid, user.gid);

  let stopping = false;
  let crashes = 0;
  function launch(): Postmaster {
    const logFd = openSync(join(base, "log"), "a");
    const launched = startPostmaster({
      ...cluster,
      logFd,
      orphaned: "interrupt",
      settings: SETTINGS,
    });
    closeSync(logFd);
    return launched;
  }
  let server = launch();
  if (!(await server.ready())) throw new Error(`PostgreSQL does not start; see ${base}/log`);
  const supervised = (async () => {
    for (await server.ended; !stopping; await server.ended) {
      crashes += 1;
      await sleep(AGAIN_MS);
      server = launch();
      if (stopping) server.signal("SIGINT");
    }
  })();
  return {
    url: `postgresql:///${ROLE}?host=${socketFolder}&user=${ROLE}`,
    get crashes() {
      return crashes;
    },
    async stop() {
      stopping = true;
      server.signal("SIGINT");
      await supervised;
      removeSocketFolder(socketFolder);
      rmSync(base, { recursive: true, force: true });
    },
  };
}
