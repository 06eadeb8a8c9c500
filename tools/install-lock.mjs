/**
 * A lock file that one installing or building process holds at a time, and that a killed holder
 * does not keep. Plain JavaScript for Node 20.
 */
import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 300;
/**
 * Longer than any install: the last resort where a process number was given to another process, or
 * another host holds it.
 */
const ABANDONED_AFTER_MS = 15 * 60_000;

function readLock(path) {
  try {
    return { text: readFileSync(path, "utf8"), ageMs: Date.now() - statSync(path).mtimeMs };
  } catch {
    return null;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/**
 * Whether everybody named in the lock is gone: the launcher that took it, and the npm it started.
 */
function isStale({ text, ageMs }) {
  if (ageMs > ABANDONED_AFTER_MS) return true;
  try {
    const { host, pids } = JSON.parse(text);
    return host === hostname() && !pids.some(isAlive);
  } catch {
    // Half-written: its writer is at it, or died at it; a moment tells them apart.
    return ageMs > 5000;
  }
}

/**
 * Removes the lock we saw, and no other: one that a faster process took over in the meantime is put
 * back.
 */
function breakLock(path, seen) {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
    if (readFileSync(aside, "utf8") !== seen.text) linkSync(aside, path);
  } catch {
    // Another process broke it first.
  }
  rmSync(aside, { force: true });
}

/**
 * Waits until the lock is ours. `addProcess` names another process whose life keeps the lock;
 * `release` gives it up.
 */
export async function takeLock({ path, say, waiting }) {
  const pids = [process.pid];
  const write = (flag) => writeFileSync(path, JSON.stringify({ host: hostname(), pids }), { flag });
  let reported = false;
  for (;;) {
    try {
      write("wx");
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    const seen = readLock(path);
    if (seen !== null && isStale(seen)) {
      breakLock(path, seen);
      continue;
    }
    if (!reported) say(waiting);
    reported = true;
    await sleep(POLL_MS);
  }
  return {
    addProcess(pid) {
      pids.push(pid);
      write("w");
    },
    release() {
      rmSync(path, { force: true });
    },
  };
}
