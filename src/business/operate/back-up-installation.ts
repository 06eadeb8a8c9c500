/**
 * Backs an installation on the embedded database up while it serves: into a folder that is a
 * DATA_DIR, there whole or not at all.
 */
import { existsSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { chmod, lstat, readdir, realpath, rename, rm, stat, statfs } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { backUpCluster, takesOfCluster } from "#embedded-postgres/back-up-cluster.ts";
import { embeddedFolder } from "#embedded-postgres/embedded-folder.ts";
import { makeFolder } from "#embedded-postgres/make-folder.ts";
import { takeOwnerLock, type OwnerLock } from "#embedded-postgres/owner-lock.ts";
import { startEmbedded } from "#embedded-postgres/start-embedded.ts";
import {
  createTreeCopy,
  measureFolder,
  type Takes,
  type TreeCopy,
} from "../../storage/copy-tree.ts";
import { describeDiskError, orMissing, syncFolder } from "../../storage/disk.ts";
import { isObjectKey } from "../../storage/object-key.ts";
import { ARCHIVE_FOLDER } from "../../storage/open-storage.ts";

export interface BackupOptions {
  readonly dataDir: string;
  /** Where stored files lie on this machine, in DATA_DIR or elsewhere; null where they do not. */
  readonly filesFolder: string | null;
  /** Must not be there, or be empty. */
  readonly folder: string;
  /** Ends it, and nothing is left of it. */
  readonly signal: AbortSignal;
  onProgress(bytes: number, totalBytes: number): void;
}

export interface Backup {
  readonly folder: string;
  readonly bytes: number;
  readonly files: number;
  /** Where stored files lie in it, below its folder; null where there are none on this machine. */
  readonly filesFolder: string | null;
}

/**
 * Of the database's log, which grows meanwhile, and of what the last block of each file has to
 * spare.
 */
const SLACK_BYTES = 64 * 1024 * 1024;
const DEFAULT_FILES = "files";

/**
 * What else is in DATA_DIR belongs to it, but for what is being written at this moment, under a
 * name that nothing reads.
 */
const UNFINISHED = /(?:^|\/)(?:session-secret\.\d+|[^/]+\.part|\.tmp)$/;

/**
 * Throws an Error that says what to do when the folder cannot be used, there is nothing to back up,
 * or no room for it.
 */
export async function backUpInstallation(options: BackupOptions): Promise<Backup> {
  const { onProgress } = options;
  const source = await findSource(options);
  const folder = await findPlace(options.folder, source);
  const draft = `${folder}.partial`;
  const lost = new AbortController();
  const lock = openDraft(draft);
  try {
    // Only now: another backup may have come to its end meanwhile, or a killed one have left what
    // fills the disk.
    await insistOnFree(folder);
    const totalBytes = await measure(source);
    await insistOnRoom(dirname(folder), totalBytes);
    const copy = createTreeCopy({
      signal: AbortSignal.any([options.signal, lost.signal]),
      onBytes: (bytes) => onProgress(bytes, totalBytes),
    });
    const filesFolder = await fill(draft, source, copy, lost);
    await rename(draft, folder);
    // Up to here, so that no draft is without it, however its backup ends; a DATA_DIR does not mind
    // one that no process holds.
    rmSync(embeddedFolder(folder).lock, { force: true });
    for (const path of [embeddedFolder(folder).path, dirname(folder)]) await syncFolder(path);
    return { folder, bytes: copy.bytes, files: copy.files, filesFolder };
  } catch (error) {
    throw await withoutDraft(draft, error);
  } finally {
    lock.release();
  }
}

/** The error for the caller. What could not be removed is named. */
async function withoutDraft(draft: string, error: unknown): Promise<Error> {
  const left = await rm(draft, { recursive: true, force: true }).then(
    () => "",
    (cause: unknown) => `; remove ${draft} yourself: ${describeDiskError(cause)}`,
  );
  return new Error(`${describeDiskError(error)}${left}`, { cause: error });
}

/** Resolves when everything is on the disk. */
async function fill(
  draft: string,
  source: Source,
  copy: TreeCopy,
  lost: AbortController,
): Promise<string | null> {
  await copyDatabase(source, draft, copy, (error) => lost.abort(error));
  // Only now: a file is stored before the row that names it is written, so that the files of all
  // rows in the copy are there.
  const filesFolder = await copyFiles(source, draft, copy);
  await chmod(draft, 0o700);
  await copy.syncFolders();
  return filesFolder;
}

interface Source {
  readonly dataDir: string;
  readonly filesFolder: string | null;
  /** Of the stored files, below DATA_DIR; null where they lie elsewhere. */
  readonly filesPath: string | null;
}

/**
 * A wrong DATA_DIR is not taken for a new installation: what is backed up every night shall be what
 * was meant.
 */
async function findSource({ dataDir, filesFolder }: BackupOptions): Promise<Source> {
  if (!existsSync(join(embeddedFolder(dataDir).cluster, "PG_VERSION"))) {
    throw new Error(
      `there is no database in ${dataDir} that this user can read; is that the DATA_DIR?`,
    );
  }
  const [found, files] = [
    await realpath(dataDir),
    filesFolder === null ? null : resolve(filesFolder),
  ];
  // Judged by its name, because it may be a link in DATA_DIR that leads elsewhere.
  const filesPath =
    files !== null && isWithin(files, resolve(dataDir)) ? relative(resolve(dataDir), files) : null;
  return { dataDir: found, filesFolder: files, filesPath };
}

/** The folder with all links on the way to it resolved. */
async function findPlace(given: string, { dataDir, filesFolder }: Source): Promise<string> {
  const parent = await realpath(dirname(resolve(given))).catch((cause: unknown) => {
    throw new Error(`there is no folder ${dirname(resolve(given))} to put the backup into`, {
      cause,
    });
  });
  const folder = join(parent, basename(resolve(given)));
  for (const taken of [
    dataDir,
    filesFolder === null ? dataDir : await realpath(filesFolder).catch(() => filesFolder),
  ]) {
    if (isWithin(folder, taken) || isWithin(taken, folder))
      throw new Error(
        `${folder} and ${taken}, which it would copy, lie one in the other; choose a folder elsewhere`,
      );
  }
  await insistOnFree(folder);
  return folder;
}

async function insistOnFree(folder: string): Promise<void> {
  const found = await orMissing(lstat(folder));
  if (found === null) return;
  if (!found.isDirectory() || (await readdir(folder)).length > 0)
    throw new Error(`${folder} is there already, and is no empty folder`);
  // The last step renames a folder beside it, and that does not lead to another disk.
  if (found.dev !== (await stat(dirname(folder))).dev)
    throw new Error(`${folder} is where a disk is mounted; choose a folder on that disk`);
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way.split(sep)[0] !== ".." && !isAbsolute(way);
}

async function measure({ dataDir, filesFolder, filesPath }: Source): Promise<number> {
  const files = filesFolder === null ? 0 : await measureFolder(filesFolder, takesOfFiles);
  const database = await measureFolder(embeddedFolder(dataDir).cluster, takesOfCluster);
  return database + files + (await measureFolder(dataDir, takesOfRest(filesPath)));
}

async function insistOnRoom(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= bytes + SLACK_BYTES) return;
  const [needed, free] = [bytes + SLACK_BYTES, bavail * bsize].map(
    (each) => `${Math.ceil(each / 1e6)} MB`,
  );
  throw new Error(`the backup needs ${needed}, and there are ${free} free in ${folder}`);
}

/**
 * The unfinished backup is locked as a DATA_DIR is by its server: none starts on it, and one
 * without an owner is what a killed backup left. That one is emptied; whatever else has this name
 * is not ours. The lock is the first thing in it, and stays to the end.
 */
function openDraft(draft: string): OwnerLock {
  const { path, lock } = embeddedFolder(draft);
  try {
    if (!isOurs(draft))
      throw new Error(
        `${draft} is there already, without the lock of an unfinished backup; move it away, or choose another folder`,
      );
    makeFolder(path, 0o700);
    const taken = takeOwnerLock(lock);
    // Another backup may have finished or removed it between our look and our hand.
    if (taken === null || !existsSync(lock)) throw new Error(`another backup writes into ${draft}`);
    empty(draft, basename(path));
    empty(path, basename(lock));
    return taken;
  } catch (cause) {
    throw new Error(describeDiskError(cause), { cause });
  }
}

/** Not there, of a backup with a lock, or of one that was killed before it had its lock. */
function isOurs(draft: string): boolean {
  const found = lstatSync(draft, { throwIfNoEntry: false });
  if (found === undefined) return true;
  if (!found.isDirectory()) return false;
  const { path, lock } = embeddedFolder(draft);
  return (
    existsSync(lock) ||
    readdirSync(draft, { recursive: true }).every((name) => name === basename(path))
  );
}

function empty(folder: string, but: string): void {
  for (const name of readdirSync(folder))
    if (name !== but) rmSync(join(folder, name), { recursive: true });
}

/**
 * Without bringing the schema up to date, as other commands do: a backup is what is made before an
 * upgrade.
 */
async function copyDatabase(
  { dataDir }: Source,
  draft: string,
  copy: TreeCopy,
  onLost: (error: Error) => void,
): Promise<void> {
  const [from, to] = [embeddedFolder(dataDir), embeddedFolder(draft)];
  const server = await startEmbedded({ dataDir, purpose: "command", log: () => undefined });
  try {
    await copy.folder(from.path, to.path, () => false);
    await backUpCluster({
      url: server.url,
      clusterDir: from.cluster,
      target: to.cluster,
      copy,
      onLost,
    });
  } finally {
    await server.stop();
  }
}

/**
 * Stored files from elsewhere get the place that they have in DATA_DIR when nothing else is said.
 */
async function copyFiles(
  { dataDir, filesFolder, filesPath }: Source,
  draft: string,
  copy: TreeCopy,
): Promise<string | null> {
  await copy.folder(dataDir, draft, takesOfRest(filesPath));
  if (filesFolder === null) return null;
  const path = filesPath ?? DEFAULT_FILES;
  await copy.folder(filesFolder, join(draft, path), takesOfFiles);
  return path;
}

const takesOfRest =
  (filesPath: string | null): Takes =>
  (path) =>
    path !== "postgres" && path !== filesPath && !UNFINISHED.test(path);

/** Only what the storage has put there, in both its parts, whatever else is in that folder. */
const takesOfFiles: Takes = (path) => {
  const parts = path.split("/");
  if (parts[0] === ARCHIVE_FOLDER) parts.shift();
  const [shard, key, ...more] = parts;
  return (
    shard === undefined ||
    (/^[0-9a-z]{2}$/.test(shard) && (key === undefined || isObjectKey(key)) && more.length === 0)
  );
};
