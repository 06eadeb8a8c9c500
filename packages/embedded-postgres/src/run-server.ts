/**
 * Runs the server of a data directory whose lock we hold: makes the database on the first start,
 * recovers it after a crash, supervises it until stopped.
 */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { locateBinaries } from "./binaries.ts";
import { claimCluster } from "./claim-cluster.ts";
import type { EmbeddedOptions, EmbeddedServer } from "./embedded-server.ts";
import type { EmbeddedFolder } from "./embedded-folder.ts";
import { initCluster, ROLE, writeAccessRules } from "./init-cluster.ts";
import type { OwnerLock } from "./owner-lock.ts";
import { startPostmaster } from "./postmaster.ts";
import { endLeftovers } from "./running-server.ts";
import { openServerLog } from "./server-log.ts";
import { SERVER_SETTINGS } from "./server-settings.ts";
import { readState, removeState, writeState } from "./server-state.ts";
import { chooseServerUser, currentUserName } from "./server-user.ts";
import { makeSocketFolder, removeSocketFolder } from "./socket-folder.ts";
import { superviseServer } from "./supervise-server.ts";

/** How long a command that is done waits for the others that use its server. */
const OTHERS_WAIT_MS = 15_000;

/** Takes over the lock: it is released when the server is stopped or could not be started. */
export async function runServer(
  folder: EmbeddedFolder,
  lock: OwnerLock,
  options: EmbeddedOptions,
): Promise<EmbeddedServer> {
  const former = readState(folder.state);
  const user = chooseServerUser(folder.cluster);
  const socketFolder = makeSocketFolder(user);
  const note = { ownerPid: process.pid, purpose: options.purpose, socketFolder } as const;
  const cleanUp = (): void => {
    removeSocketFolder(socketFolder);
    removeState(folder.state);
    lock.release();
  };
  try {
    writeState(folder.state, { ...note, url: null });
    if (former !== null) removeSocketFolder(former.socketFolder);
    const binaries = locateBinaries(user);
    const isThere = claimCluster(folder.cluster, user, binaries.version.split(".")[0] ?? "");
    options.onHeld?.();
    if (!isThere) {
      options.log("making a new database; this happens once");
      await initCluster({ binaries, user, clusterDir: folder.cluster, sync: true });
    }
    const own = currentUserName();
    writeAccessRules(folder.cluster, new Set(["root", own, user?.name ?? own]));
    const serverLog = openServerLog(folder.log);
    const supervisor = await superviseServer({
      async start() {
        await endLeftovers(folder.cluster, options.log);
        for (const name of readdirSync(socketFolder))
          rmSync(join(socketFolder, name), { force: true });
        return startPostmaster({
          binaries,
          user,
          clusterDir: folder.cluster,
          socketFolder,
          settings: SERVER_SETTINGS,
          logFd: serverLog.fd,
          orphaned: options.purpose === "serve" ? "interrupt" : "let-finish",
        });
      },
      logTail: () => serverLog.tail(),
      log: options.log,
      onFatal: (error) => {
        options.log(error.message);
        options.onFatal?.(error);
      },
    }).catch((error: unknown) => {
      serverLog.close();
      throw error;
    });
    const url = `postgresql:///${ROLE}?host=${encodeURIComponent(socketFolder)}&user=${ROLE}`;
    writeState(folder.state, { ...note, url });
    let stopped: Promise<void> | null = null;
    const stop = async (): Promise<void> => {
      if (options.purpose === "command") await othersDone(url, options.log);
      await supervisor.stop(options.purpose === "command" ? "when-unused" : "at-once");
      serverLog.close();
      cleanUp();
    };
    return {
      url,
      get pid() {
        return supervisor.pid;
      },
      stop: () => (stopped ??= stop()),
    };
  } catch (error) {
    cleanUp();
    throw error;
  }
}

/**
 * Waits until no other session is connected. A server that is shutting down takes no new
 * connections, so this comes before that.
 */
async function othersDone(url: string, log: (line: string) => void): Promise<void> {
  const client = new Client({
    connectionString: url,
    application_name: "tollgate last look",
    connectionTimeoutMillis: 2_000,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    const until = performance.now() + OTHERS_WAIT_MS;
    for (let announced = false; performance.now() < until; await sleep(20)) {
      const { rows } = await client.query(
        "SELECT 1 FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
      );
      if (rows.length === 0) return;
      if (!announced && performance.now() > until - OTHERS_WAIT_MS + 1_000) {
        announced = true;
        log("other commands still use the database that this one started; waiting for them");
      }
    }
  } catch {
    // A server that does not answer has no clients to wait for.
  } finally {
    await client.end().catch(() => {});
  }
}
