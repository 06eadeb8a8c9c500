/**
 * PostgreSQL servers of this machine that are older than the one which comes with it, and clusters
 * of theirs.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Binaries } from "#embedded-postgres/binaries.ts";
import { ROLE } from "#embedded-postgres/init-cluster.ts";
import type { ServerUser } from "#embedded-postgres/server-user.ts";

/** Where Debian and its like put them, by major version. */
const INSTALLED = "/usr/lib/postgresql";
/** The oldest that is supported, and the one that comes with it. */
const OLDEST = 15;
const OWN = 18;

/** Folders of programs, by major version. */
export function olderServers(): readonly (readonly [major: number, programs: string])[] {
  if (!existsSync(INSTALLED)) return [];
  return readdirSync(INSTALLED)
    .map((name) => [Number(name), join(INSTALLED, name, "bin")] as const)
    .filter(
      ([major, programs]) =>
        major >= OLDEST && major < OWN && existsSync(join(programs, "postgres")),
    );
}

/** As `initCluster` does, without what an older initdb does not know. */
export function initOlderCluster(
  programs: string,
  clusterDir: string,
  user: ServerUser | null,
): Binaries {
  const binaries = {
    initdb: join(programs, "initdb"),
    postgres: join(programs, "postgres"),
    version: "older",
  };
  mkdirSync(clusterDir, { mode: 0o700 });
  if (user !== null) chownSync(clusterDir, user.uid, user.gid);
  // Their programs leave the folder they stand in, and want to come back to it by its name.
  chmodSync(dirname(clusterDir), 0o711);
  const run = (program: string, args: readonly string[], input: string): void => {
    execFileSync(program, args, {
      cwd: clusterDir,
      env: {},
      input,
      stdio: ["pipe", "ignore", "pipe"],
      ...(user === null ? {} : { uid: user.uid, gid: user.gid }),
    });
  };
  run(
    binaries.initdb,
    [
      `--pgdata=${clusterDir}`,
      "--username=postgres",
      "--auth-local=peer",
      "--auth-host=reject",
      "--encoding=UTF8",
      "--locale=C",
      "--no-sync",
      "--no-instructions",
    ],
    "",
  );
  const statements = [
    `CREATE ROLE ${ROLE} LOGIN`,
    `CREATE DATABASE ${ROLE} OWNER ${ROLE}`,
    `GRANT pg_read_all_stats TO ${ROLE}`,
  ];
  run(
    binaries.postgres,
    ["--single", "-D", clusterDir, "-F", "postgres"],
    `${statements.join("\n")}\n`,
  );
  return binaries;
}
