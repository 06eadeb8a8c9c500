/**
 * Finds and ends the servers that a cluster's earlier owner left behind; a process id alone proves
 * nothing, it may be another's by now.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * What to send and how long to wait for the end before the next: finish quickly, drop everything,
 * die.
 */
const STEPS = [
  ["SIGINT", 1_500],
  ["SIGQUIT", 1_000],
  ["SIGKILL", 1_000],
] as const;

/**
 * Makes sure that no server works on the cluster, and removes the pid file of the dead one: a
 * server started now would take it for that of a living one if the pid belongs to another process
 * of its user. Only the owner of the data directory may call this. Throws when a process survives
 * even SIGKILL (a disk that does not answer).
 */
export async function endLeftovers(clusterDir: string, log: (line: string) => void): Promise<void> {
  const pidFile = join(clusterDir, "postmaster.pid");
  let left = leftovers(pidFile, clusterDir);
  if (left.length > 0)
    log(`ending the database processes that were left behind: ${left.join(", ")}`);
  for (const [signal, waitMs] of STEPS) {
    const until = performance.now() + waitMs;
    for (const pid of left) kill(pid, signal);
    while (left.length > 0 && performance.now() < until) {
      await sleep(10);
      left = left.filter((pid) => isServerOf(pid, clusterDir));
    }
  }
  if (left.length > 0)
    throw new Error(
      `The database processes ${left.join(", ")} of ${clusterDir} do not end, even when killed; is the disk stuck?`,
    );
  rmSync(pidFile, { force: true });
}

/**
 * The server and, where the system tells, sessions that have outlived theirs: without it they end
 * by themselves, but only when they next look.
 */
function leftovers(pidFile: string, clusterDir: string): number[] {
  const pid = readPid(pidFile);
  const candidates =
    process.platform === "linux" ? readdirSync("/proc").map(Number) : pid === null ? [] : [pid];
  return candidates.filter((candidate) => candidate > 1 && isServerOf(candidate, clusterDir));
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // gone in the meantime
  }
}

function readPid(pidFile: string): number | null {
  try {
    const pid = Number(readFileSync(pidFile, "utf8").split("\n")[0]);
    return Number.isInteger(pid) && pid > 1 ? pid : null;
  } catch {
    return null;
  }
}

/**
 * Every process of a server stands in its cluster's folder; a dead one that its parent has not
 * reaped stands nowhere.
 */
function isServerOf(pid: number, clusterDir: string): boolean {
  if (process.platform !== "linux") {
    const { stdout } = spawnSync("ps", ["-o", "state=,comm=", "-p", String(pid)], {
      encoding: "utf8",
    });
    return /^[^Z].*postgres/.test(stdout.trim());
  }
  try {
    const [where, cluster] = [statSync(`/proc/${pid}/cwd`), statSync(clusterDir)];
    return (
      where.dev === cluster.dev &&
      where.ino === cluster.ino &&
      readFileSync(`/proc/${pid}/comm`, "utf8").startsWith("postgres")
    );
  } catch {
    return false;
  }
}
