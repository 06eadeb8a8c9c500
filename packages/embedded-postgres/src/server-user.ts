/** Chooses the operating-system user that runs PostgreSQL, which refuses to run as root. */
import { readFileSync, statSync } from "node:fs";
import { userInfo } from "node:os";

/** A user of this machine; `name` is what initdb and `peer` authentication see. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
  readonly name: string;
}

/** Fields of a line of /etc/passwd. */
function readPasswd(): ServerUser[] {
  let text: string;
  try {
    text = readFileSync("/etc/passwd", "utf8");
  } catch {
    return [];
  }
  const users: ServerUser[] = [];
  for (const line of text.split("\n")) {
    const [name, , uid, gid] = line.split(":");
    if (name !== undefined && name !== "" && uid !== undefined && gid !== undefined) {
      users.push({ uid: Number(uid), gid: Number(gid), name });
    }
  }
  return users;
}

/**
 * The user to switch to, or null when the server runs as the user we are. As root: the owner of an
 * existing cluster, else `postgres`, else `nobody` (initdb needs an entry in /etc/passwd).
 *
 * @param clusterDir the cluster's directory; it need not exist yet
 */
export function chooseServerUser(clusterDir: string): ServerUser | null {
  if (process.getuid === undefined || process.getuid() !== 0) return null;
  const users = readPasswd();
  const owner = statSync(clusterDir, { throwIfNoEntry: false })?.uid;
  if (owner !== undefined && owner !== 0) {
    const known = users.find((user) => user.uid === owner);
    if (known === undefined) {
      throw new Error(
        `The database in ${clusterDir} belongs to user id ${owner}, who is not in /etc/passwd; give the folder to an existing user (chown -R postgres ${clusterDir}).`,
      );
    }
    return known;
  }
  const chosen =
    users.find((user) => user.name === "postgres") ?? users.find((user) => user.name === "nobody");
  if (chosen === undefined) {
    throw new Error(
      "PostgreSQL does not run as root and neither user `postgres` nor `nobody` exists here; create one, or set DATABASE_URL to a PostgreSQL server.",
    );
  }
  return chosen;
}

/** The name of the user we run as, as `peer` authentication sees it. */
export function currentUserName(): string {
  try {
    return userInfo().username;
  } catch {
    return "unknown"; // no such user on this machine; initdb says so
  }
}
