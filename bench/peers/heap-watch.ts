/** Hears from the Node processes of a peer how much they allocate. */
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Settings } from "../../test/support/tollgate-environment.ts";

export interface HeapWatch {
  /** What the peer's processes need in their environment. */
  readonly environment: Settings;
  /** Bytes that those of its processes that still run have allocated, to 100 ms ago. */
  allocated(): number;
}

const REPORTER = join(import.meta.dirname, "report-heap.mjs");

/** Reports go into a new folder below this one. */
export function watchHeap(folder: string, name: string): HeapWatch {
  const reports = join(folder, `heap-${name}`);
  mkdirSync(reports, { recursive: true });
  return {
    environment: { NODE_OPTIONS: `--import=${REPORTER}`, BENCH_HEAP_FOLDER: reports },
    allocated: () =>
      readdirSync(reports)
        .filter((pid) => existsSync(`/proc/${pid}`))
        .reduce((sum, pid) => sum + Number(readFileSync(join(reports, pid), "utf8")), 0),
  };
}
