/**
 * Makes a new PostgreSQL cluster with our role and database in it: complete, or not there at all.
 */
import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Binaries } from "./binaries.ts";
import { folderForChild, spawnGuarded } from "./guarded-process.ts";
import type { ServerUser } from "./server-user.ts";

/** The role the program uses and the database it owns. Not a superuser. */
export const ROLE = "tollgate";

const DRAFT_INFIX = ".draft-";

/** A container run with `--user 1234`, mostly. */
const NO_SUCH_USER = /could not look up effective user ID/;
const USER_ADVICE =
  ". Run as a user that is listed in /etc/passwd, or set DATABASE_URL to a PostgreSQL server (15 or newer).";

export interface InitOptions {
  readonly binaries: Binaries;
  readonly user: ServerUser | null;
  /** Must not exist; its parent is made. */
  readonly clusterDir: string;
  /** False skips flushing the files to disk (tests). */
  readonly sync: boolean;
}

/**
 * Works in a draft folder beside the target and renames it at the end, so that a kill half-way
 * leaves nothing but a draft, which the next call removes.
 */
export async function initCluster(options: InitOptions): Promise<void> {
  const { clusterDir, binaries } = options;
  const parent = dirname(clusterDir);
  mkdirSync(parent, { recursive: true });
  for (const name of readdirSync(parent)) {
    if (name.startsWith(basename(clusterDir) + DRAFT_INFIX))
      rmSync(join(parent, name), { recursive: true, force: true, maxRetries: 5 });
  }
  const draft = mkdtempSync(clusterDir + DRAFT_INFIX);
  try {
    chmodSync(draft, 0o700);
    if (options.user !== null) chownSync(draft, options.user.uid, options.user.gid);
    const where = folderForChild(draft);
    await run(binaries.initdb, initdbArguments(where), draft, options.user, "");
    // The statements of single-user mode end at a line end; each runs in its own transaction.
    const statements = [
      `CREATE ROLE ${ROLE} LOGIN`,
      `CREATE DATABASE ${ROLE} OWNER ${ROLE}`,
      `GRANT pg_read_all_stats TO ${ROLE}`,
    ];
    await run(
      binaries.postgres,
      ["--single", "-D", where, "-F", "postgres"],
      draft,
      options.user,
      `${statements.join("\n")}\n`,
    );
    // Nothing was flushed so far; one flush of the whole at the end costs a fraction of one for
    // each of a thousand files.
    const method = process.platform === "linux" ? "syncfs" : "fsync";
    if (options.sync)
      await run(
        binaries.initdb,
        ["--sync-only", `--sync-method=${method}`, `--pgdata=${where}`],
        draft,
        options.user,
        "",
      );
    renameSync(draft, clusterDir);
    // Not durable before the folders that lead to it are: else a power cut could turn acknowledged
    // data back into a draft.
    if (options.sync)
      for (const folder of [parent, dirname(parent), dirname(dirname(parent))]) syncFolder(folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
}

function syncFolder(path: string): void {
  try {
    const fd = openSync(path, "r");
    fsyncSync(fd);
    closeSync(fd);
  } catch {
    // A folder that we may not read, or a system that does not sync folders: nothing more can be
    // done.
  }
}

function initdbArguments(folder: string): string[] {
  return [
    `--pgdata=${folder}`,
    "--username=postgres",
    "--auth-local=peer",
    "--auth-host=reject",
    "--encoding=UTF8",
    // The server's own locale: the same order of strings on every machine, whatever its C library
    // or ICU version.
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--data-checksums",
    "--no-instructions",
    "--no-sync",
  ];
}

/**
 * Lets the users who may act for us (root, the server's user, ourselves) log in as our role over
 * the socket; no other user.
 */
export function writeAccessRules(clusterDir: string, users: ReadonlySet<string>): void {
  const map = [...users].flatMap((user) => [
    `tollgate "${user}" ${ROLE}`,
    `tollgate "${user}" postgres`,
  ]);
  writeFileSync(
    join(clusterDir, "pg_ident.conf"),
    `# Written at every start.\n${map.join("\n")}\n`,
  );
  writeFileSync(
    join(clusterDir, "pg_hba.conf"),
    "# Written at every start.\nlocal all all peer map=tollgate\n",
  );
}

/** Runs a program of PostgreSQL to its end; throws with its last words when it fails. */
function run(
  program: string,
  args: string[],
  cwd: string,
  user: ServerUser | null,
  input: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawnGuarded({
      program,
      args,
      cwd,
      user,
      stdio: ["pipe", "ignore", "pipe"],
      orphaned: "kill",
    });
    let words = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      words = (words + text).slice(-4000);
    });
    child.stdin?.on("error", () => {}); // it ended early, and says why
    child.stdin?.end(input);
    child.once("error", reject);
    child.once("close", (code, signal) => {
      if (code === 0) resolve();
      else
        reject(
          new Error(
            `${basename(program)} failed (${signal ?? `exit code ${code}`}): ${words.trim()}${NO_SUCH_USER.test(words) ? USER_ADVICE : ""}`,
          ),
        );
    });
  });
}
