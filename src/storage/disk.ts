/**
 * What everything that keeps files on this machine needs: names that survive a crash, files that
 * may be gone, and what stood in the way.
 */
import { existsSync } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";

/** Without this a crash of the machine may forget the names of files whose bytes are safe. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Makes a folder with those above it, and returns the highest that was missing. That one is made
 * alone: a folder below /proc cannot be made, and made with all above it never ends (Node 26.0).
 */
export async function makeFolders(path: string, mode: number): Promise<string | undefined> {
  if (existsSync(path)) return undefined;
  let highest = path;
  while (!existsSync(dirname(highest))) highest = dirname(highest);
  try {
    await mkdir(highest, { mode });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  await mkdir(path, { recursive: true, mode });
  return highest;
}

/** Null when there is no such file. */
export async function orMissing<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

const FULL_CODES = new Set(["ENOSPC", "EDQUOT"]);

/** No blocks, no inodes, or a quota. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && FULL_CODES.has((error as NodeJS.ErrnoException).code ?? "");
}

/**
 * For the operator: what an error of the file system means, and where. The message of any other
 * error.
 */
export function describeDiskError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (isDiskFull(error)) return "there is no room left on the disk (space, inodes or a quota)";
  const { code, path = "", message } = error as NodeJS.ErrnoException;
  // The path cannot be written, or could not be made.
  let where = path;
  while (!existsSync(where) && dirname(where) !== where) where = dirname(where);
  switch (code) {
    case "EACCES":
    case "EPERM":
      return `this user may not write in ${where}`;
    case "EROFS":
      return `${where} is on a read-only file system`;
    case "ENOTDIR":
      return `${where} is not a folder`;
    case "ENAMETOOLONG":
      return "the name is too long";
    default:
      return message;
  }
}
