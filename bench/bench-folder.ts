/**
 * Where the benchmark keeps what it has compiled and installed between its runs: a private folder
 * below the temporary folder.
 */
import { chmodSync, lstatSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Throws where another user has taken the name: what lies there is run. */
export function benchFolder(): string {
  const own = process.getuid?.() ?? 0;
  const folder = join(tmpdir(), `tollgate-bench-${own}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== own)
    throw new Error(`${folder} belongs to somebody else; remove it or set TMPDIR`);
  chmodSync(folder, 0o700);
  return folder;
}
