/**
 * Loaded into a measured Node process before its program (`--import`): says ten times a second in a
 * file of its own how many bytes its V8 has allocated so far. Plain JavaScript: a peer may start
 * programs on an older Node.
 */
import { openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { getHeapStatistics } from "node:v8";

const EVERY_MS = 100;
const DIGITS = 20;

const folder = process.env["BENCH_HEAP_FOLDER"];
if (folder !== undefined && getHeapStatistics().total_allocated_bytes !== undefined) {
  const file = openSync(join(folder, String(process.pid)), "w");
  // Of one length, so that a reader never meets half of one.
  const report = () => {
    writeSync(file, String(getHeapStatistics().total_allocated_bytes).padStart(DIGITS), 0);
  };
  report();
  setInterval(report, EVERY_MS).unref();
}
