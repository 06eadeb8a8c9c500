/** Tells before anything is started that DATA_DIR cannot be written, and why. */
import { accessSync, constants, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Config } from "./config.ts";

type Needs = Pick<Config, "dataDir" | "databaseUrl" | "sessionSecret" | "storageUrl">;

/** What the program keeps there, each of which may be another's. */
const PARTS = ["", "postgres", "files"];
/** No blocks, no inodes, or a quota. */
const FULL = new Set(["ENOSPC", "EDQUOT"]);
const SOME_BYTES = 64 * 1024;

/** Makes the folder. Null: all is well, or nothing is kept there. */
export function dataDirMistake({ dataDir, databaseUrl, sessionSecret, storageUrl }: Needs): string | null {
  const elsewhere = databaseUrl !== null && sessionSecret !== null && !storageUrl.startsWith(`file:${dataDir}`);
  if (elsewhere) return null;
  try {
    makeFolder(dataDir);
    for (const part of PARTS) if (existsSync(join(dataDir, part))) checkFolder(join(dataDir, part));
    tryToWrite(join(dataDir, `.room-${process.pid}`));
    return null;
  } catch (error) {
    const fault = error as NodeJS.ErrnoException;
    const advice = FULL.has(fault.code ?? "")
      ? "Make room there, or set DATA_DIR to another folder"
      : "Set DATA_DIR to a folder that this user may write";
    return `DATA_DIR: ${dataDir} cannot be used: ${reasonOf(fault)}. ${advice}.`;
  }
}

/** One by one: made all at once, a folder below a read-only one ends as "no such file", and one below /proc never ends (Node 26.0). */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may have made it meanwhile.
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}

function checkFolder(path: string): void {
  if (!statSync(path).isDirectory()) throw new Error(`${path} is not a folder`);
  accessSync(path, constants.W_OK | constants.X_OK);
}

function tryToWrite(path: string): void {
  try {
    writeFileSync(path, Buffer.alloc(SOME_BYTES));
  } finally {
    rmSync(path, { force: true });
  }
}

/** `path` is a folder that could not be made, or one that is there and cannot be written. */
function reasonOf({ code, path = "", message }: NodeJS.ErrnoException): string {
  const where = existsSync(path) ? path : dirname(path);
  switch (code) {
    case "EACCES":
    case "EPERM":
      return `this user may not write in ${where}`;
    case "EROFS":
      return `${where} is on a read-only file system`;
    case "ENOSPC":
    case "EDQUOT":
      return "its file system has no room left (space, inodes or a quota)";
    case "ENOTDIR":
      return `${where} is not a folder`;
    default:
      return message;
  }
}
