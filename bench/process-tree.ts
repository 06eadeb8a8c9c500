/**
 * What a process and all its descendants have used so far, from /proc; those that run PostgreSQL
 * are counted apart.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export interface TreeUse {
  /** Milliseconds of user and system time, also of descendants that are gone. */
  readonly ownMs: number;
  readonly databaseMs: number;
}

/** Bytes; without PostgreSQL's processes. */
export interface TreeMemory {
  /** Memory that several processes share counts in equal parts. */
  readonly pss: number;
  readonly rss: number;
}

interface ProcessStat {
  readonly pid: number;
  readonly name: string;
  readonly parent: number;
  readonly cpuMs: number;
}

/** USER_HZ: the unit of times in /proc is 10 ms on every architecture that Node runs on. */
const TICK_MS = 10;
const DATABASE = "postgres";

export function readTreeUse(pid: number): TreeUse {
  let ownMs = 0;
  let databaseMs = 0;
  for (const [process, database] of walk(pid)) {
    if (database) databaseMs += process.cpuMs;
    else ownMs += process.cpuMs;
  }
  return { ownMs, databaseMs };
}

export function readTreeMemory(pid: number): TreeMemory {
  let pss = 0;
  let rss = 0;
  for (const rollup of rollupsOf(pid, false)) {
    pss += kilobytes(rollup, "Pss") * 1024;
    rss += kilobytes(rollup, "Rss") * 1024;
  }
  return { pss, rss };
}

/** Bytes that PostgreSQL's processes of the tree have for themselves: shared buffers apart. */
export function readDatabaseMemory(pid: number): number {
  return rollupsOf(pid, true).reduce(
    (sum, rollup) => sum + kilobytes(rollup, "Pss_Anon") * 1024,
    0,
  );
}

/** What a process and its descendants hold; without PostgreSQL's processes. */
export interface TreeHandles {
  readonly processes: number;
  /** Open files, sockets among them. */
  readonly descriptors: number;
  readonly sockets: number;
  readonly threads: number;
}

export function readTreeHandles(pid: number): TreeHandles {
  const handles = { processes: 0, descriptors: 0, sockets: 0, threads: 0 };
  for (const [process, database] of walk(pid)) {
    if (database) continue;
    handles.processes += 1;
    handles.threads += namesIn(`/proc/${process.pid}/task`).length;
    for (const name of namesIn(`/proc/${process.pid}/fd`)) {
      handles.descriptors += 1;
      if (linkOf(`/proc/${process.pid}/fd/${name}`).startsWith("socket:")) handles.sockets += 1;
    }
  }
  return handles;
}

/** Of processes that are there yet: the database's come and go. */
function rollupsOf(root: number, ofDatabase: boolean): string[] {
  return [...walk(root)].flatMap(([{ pid }, database]) => {
    if (database !== ofDatabase) return [];
    const rollup = readOrNull(`/proc/${pid}/smaps_rollup`);
    return rollup === null || rollup === "" ? [] : [rollup];
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

/** Milliseconds that all processors have worked since the system started, for whomever. */
export function readMachineBusyMs(): number {
  const [, user, nice, system, , , interrupts, softInterrupts, stolen] = readFileSync(
    "/proc/stat",
    "utf8",
  )
    .split("\n", 1)
    .join("")
    .split(/\s+/);
  return (
    [user, nice, system, interrupts, softInterrupts, stolen].reduce(
      (sum, ticks) => sum + Number(ticks),
      0,
    ) * TICK_MS
  );
}

function kilobytes(rollup: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(rollup)?.[1] ?? Number.NaN);
}

/** The process and its descendants, each with whether it belongs to PostgreSQL. */
function* walk(root: number): Generator<[ProcessStat, boolean]> {
  const children = new Map<number, ProcessStat[]>();
  for (const process of readProcesses()) {
    const siblings = children.get(process.parent);
    if (siblings === undefined) children.set(process.parent, [process]);
    else siblings.push(process);
  }
  const first = readProcess(root);
  if (first === null) throw new Error(`there is no process ${root}`);
  const open: [ProcessStat, boolean][] = [[first, first.name === DATABASE]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    yield next;
    const [{ pid }, database] = next;
    for (const child of children.get(pid) ?? [])
      open.push([child, database || child.name === DATABASE]);
  }
}

function readProcesses(): ProcessStat[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map((pid) => readProcess(Number(pid))).filter((process) => process !== null);
}

/** Null when it has just ended. The times of its ended children count as its own. */
function readProcess(pid: number): ProcessStat | null {
  const text = readOrNull(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The name stands in parentheses and may hold anything, also parentheses.
  const nameEnd = text.lastIndexOf(")");
  const fields = text.slice(nameEnd + 2).split(" ");
  const [user, system, childrenUser, childrenSystem] = fields
    .slice(11, 15)
    .map((ticks) => Number(ticks) * TICK_MS);
  // Threads that have ended are missing in the one, what is below 10 ms in the other.
  const own = Math.max(readThreadsMs(pid) ?? 0, sum(user, system));
  return {
    pid,
    name: text.slice(text.indexOf("(") + 1, nameEnd),
    parent: Number(fields[1]),
    cpuMs: own + sum(childrenUser, childrenSystem),
  };
}

/**
 * The user and system time of a process's threads, to the nanosecond. Null where the kernel does
 * not tell.
 */
function readThreadsMs(pid: number): number | null {
  let threads: string[];
  try {
    threads = readdirSync(`/proc/${pid}/task`);
  } catch {
    return null;
  }
  let nanoseconds = 0;
  for (const thread of threads) {
    const spent = readOrNull(`/proc/${pid}/task/${thread}/schedstat`);
    if (spent === null) return null;
    nanoseconds += Number(spent.split(" ", 1).join(""));
  }
  return nanoseconds / 1e6;
}

function sum(a = Number.NaN, b = Number.NaN): number {
  return a + b;
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
