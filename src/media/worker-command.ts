/** How a media worker is started: as little as it can do with, asked of the kernel and of Node. */
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";

export interface WorkerLimits {
  /**
   * Processor time of one look, and of one conversion. Where the system does not tell it (all but
   * Linux) only `wallMs` holds.
   */
  readonly cpuMs: number;
  readonly jpegCpuMs: number;
  /** From the start of one job to its answer, the reading of its source included. */
  readonly wallMs: number;
  readonly heapMegabytes: number;
  readonly residentMegabytes: number;
  /** After so much processor time a worker is replaced, well before the kernel would end it. */
  readonly lifeCpuMs: number;
}

const ROOT = join(import.meta.dirname, "..", "..");
/** Address space that V8 reserves when it begins, and that some kernels count as data. */
const RESERVED_MEGABYTES = 1024;

/**
 * What the kernel itself sees to, also for native code that went astray: no core file with a
 * customer's bytes in it, not one byte written to any file, few open files, an end after so many
 * seconds of work (so that none spins on for ever when its gateway was killed), and no more data
 * than this even between two looks of the watch. A system that knows one of them not goes on
 * without it.
 */
const LIMITED =
  'for limit in "-c 0" "-f 0" "-n 256" "-t $1" "-d $2"; do ulimit $limit 2>/dev/null || :; done; shift 2; exec "$@"';

/**
 * Program and arguments. `readable`: folders of files to look into; beyond them the worker reads
 * the program only.
 */
export function workerCommand(
  limits: WorkerLimits,
  readable: readonly string[],
): readonly [string, ...string[]] {
  // Every job may begin just before the worker's life is over.
  const seconds =
    Math.ceil((limits.lifeCpuMs + Math.max(limits.cpuMs, limits.jpegCpuMs)) / 1000) + 5;
  const dataKilobytes = (2 * limits.residentMegabytes + RESERVED_MEGABYTES) * 1024;
  return [
    "/bin/sh",
    "-c",
    LIMITED,
    "sh",
    String(seconds),
    String(dataKilobytes),
    process.execPath,
    ...nodeArguments(limits, readable),
  ];
}

function nodeArguments(limits: WorkerLimits, readable: readonly string[]): string[] {
  // Installed as a package, the program is one among those that it needs.
  const around = [dirname(ROOT), dirname(dirname(ROOT))].filter(
    (folder) => basename(folder) === "node_modules",
  );
  const places = [
    ...["src", "node_modules", "package.json"].map((name) => join(ROOT, name)),
    ...around,
  ].filter((path) => existsSync(path));
  // What is reached through a link is asked for by both its names.
  const code = new Set([...places, ...places.map((path) => realpathSync(path))]);
  return [
    "--permission",
    // The picture library is native code. Native code can do what the user may: the limits above
    // and the user's own rights hold it.
    "--allow-addons",
    ...[...code, ...readable].map((path) => `--allow-fs-read=${path}`),
    `--max-old-space-size=${limits.heapMegabytes}`,
    "--no-warnings",
    join(import.meta.dirname, "media-child.ts"),
  ];
}
