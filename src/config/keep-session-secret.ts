/**
 * The secret that panel sessions are kept by, where none is configured: made once and kept in
 * DATA_DIR, for this user alone.
 */
import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const SECRET_BYTES = 32;
const FILE_NAME = "session-secret";

/**
 * The same for all processes of this DATA_DIR. Throws the system's error when it can neither be
 * read nor written.
 */
export function keepSessionSecret(dataDir: string): string {
  const path = join(dataDir, FILE_NAME);
  mkdirSync(dataDir, { recursive: true });
  // Written whole beside it and then given its name, so that no process reads half of it; the first
  // one wins.
  const mine = `${path}.${process.pid}`;
  try {
    return readFileSync(path, "utf8");
  } catch {
    writeFileSync(mine, randomBytes(SECRET_BYTES).toString("hex"), { mode: 0o600 });
    try {
      linkSync(mine, path);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    } finally {
      rmSync(mine, { force: true });
    }
    return readFileSync(path, "utf8");
  }
}
