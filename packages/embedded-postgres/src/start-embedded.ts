/**
 * Gives this process the embedded PostgreSQL of a data directory: runs it, or finds the one that
 * another process runs.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { attach } from "./attach-embedded.ts";
import type { EmbeddedOptions, EmbeddedServer } from "./embedded-server.ts";
import { embeddedFolder, type EmbeddedFolder } from "./embedded-folder.ts";
import { makeFolder } from "./make-folder.ts";
import { takeOwnerLock, type OwnerLock } from "./owner-lock.ts";
import { runServer } from "./run-server.ts";
import { readState } from "./server-state.ts";

const POLL_MS = 50;
/**
 * How long `serve` waits for a command that runs the server, and a command for a server that is
 * being started or recovered.
 */
const PATIENCE_MS = 30_000;
/** How long a lock may be held before its holder has said who it is. */
const NOTE_WAIT_MS = 2_000;

/**
 * Throws an Error whose message tells what to do: another server on the same data directory (with
 * its pid), no binaries for this platform, files of another user or version, or a database that
 * does not start (with the end of its log).
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const folder = embeddedFolder(options.dataDir);
  makeFolder(folder.path);
  return options.purpose === "serve"
    ? runServer(folder, await lockForServe(folder, options), options)
    : attachOrRun(folder, options);
}

async function lockForServe(folder: EmbeddedFolder, options: EmbeddedOptions): Promise<OwnerLock> {
  const startedAt = performance.now();
  for (let announced = false; ; await sleep(POLL_MS)) {
    const lock = takeOwnerLock(folder.lock);
    if (lock !== null) return lock;
    const waitedMs = performance.now() - startedAt;
    const owner = readState(folder.state);
    const refused =
      owner === null
        ? waitedMs > NOTE_WAIT_MS
        : owner.purpose === "serve" || waitedMs > PATIENCE_MS;
    if (refused) {
      const who =
        owner === null
          ? "another process"
          : owner.purpose === "serve"
            ? `another server (pid ${owner.ownerPid})`
            : `a command (pid ${owner.ownerPid})`;
      throw new Error(
        `${who} already runs the database in ${folder.path}. Stop it first, or set another DATA_DIR.`,
      );
    }
    if (!announced && owner !== null) {
      announced = true;
      options.log(`a command (pid ${owner.ownerPid}) uses the database; waiting for it to end`);
    }
  }
}

async function attachOrRun(
  folder: EmbeddedFolder,
  options: EmbeddedOptions,
): Promise<EmbeddedServer> {
  const until = performance.now() + PATIENCE_MS;
  for (; ; await sleep(POLL_MS)) {
    const attachment = await attach(folder);
    if (attachment !== null)
      return { url: attachment.url, pid: attachment.pid, stop: attachment.detach };
    const lock = takeOwnerLock(folder.lock);
    if (lock !== null) return runServer(folder, lock, options);
    if (performance.now() > until) {
      const owner = readState(folder.state);
      throw new Error(
        `The database in ${folder.path} is run by process ${owner?.ownerPid ?? "unknown"} but does not answer. See ${folder.log}.`,
      );
    }
  }
}
