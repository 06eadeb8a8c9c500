/**
 * Checks that an existing cluster is one that this program and this user can run, and mends its
 * owner and mode where we may.
 */
import {
  chmodSync,
  existsSync,
  lchownSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import type { ServerUser } from "./server-user.ts";

/**
 * Returns false when there is no cluster yet (an empty folder counts as none and is removed).
 * Throws with advice when there is one that cannot be used.
 *
 * @param major of our programs, e.g. `18`; another major version cannot read the files
 */
export function claimCluster(clusterDir: string, user: ServerUser | null, major: string): boolean {
  const found = statSync(clusterDir, { throwIfNoEntry: false });
  if (found === undefined) return false;
  const own = process.getuid?.();
  if (own !== undefined && own !== 0 && found.uid !== own) {
    throw new Error(
      `The database in ${clusterDir} belongs to user id ${found.uid}, and this is user id ${own}. Run as that user or as root, or use another DATA_DIR.`,
    );
  }
  if (!existsSync(join(clusterDir, "PG_VERSION"))) {
    if (readdirSync(clusterDir).length > 0)
      throw new Error(
        `${clusterDir} is not a PostgreSQL database and not empty. Move it away, or use another DATA_DIR.`,
      );
    rmdirSync(clusterDir);
    return false;
  }
  const theirs = readFileSync(join(clusterDir, "PG_VERSION"), "utf8").trim();
  if (theirs !== major) {
    throw new Error(
      `The database in ${clusterDir} was made by PostgreSQL ${theirs}, and this version of Tollgate brings ${major}. Run the older Tollgate, dump the database, and restore it into a new DATA_DIR.`,
    );
  }
  // A backup restored by root belongs to root, and its folder often has mode 755; the server
  // accepts neither.
  if (user !== null && found.uid !== user.uid) {
    lchownSync(clusterDir, user.uid, user.gid);
    for (const name of readdirSync(clusterDir, { recursive: true, encoding: "utf8" }))
      lchownSync(join(clusterDir, name), user.uid, user.gid);
  }
  if ((found.mode & 0o077) !== 0) chmodSync(clusterDir, 0o700);
  return true;
}
