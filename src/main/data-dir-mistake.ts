/** Tells before anything is started that DATA_DIR cannot be written, and why. */
import { accessSync, constants, existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Config } from "./config.ts";

type Needs = Pick<Config, "dataDir" | "databaseUrl" | "sessionSecret" | "storageUrl">;

/** What the program keeps there, each of which may be another's. */
const PARTS = ["", "postgres", "files"];

/** Makes the folder. Null: all is well, or nothing is kept there. */
export function dataDirMistake({ dataDir, databaseUrl, sessionSecret, storageUrl }: Needs): string | null {
  const elsewhere = databaseUrl !== null && sessionSecret !== null && !storageUrl.startsWith(`file:${dataDir}`);
  if (elsewhere) return null;
  try {
    makeFolder(dataDir);
    for (const part of PARTS) if (existsSync(join(dataDir, part))) checkFolder(join(dataDir, part));
    return null;
  } catch (error) {
    return `DATA_DIR: ${dataDir} cannot be used: ${reasonOf(error as NodeJS.ErrnoException)}. Set DATA_DIR to a folder that this user may write.`;
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

/** `path` is a folder that could not be made, or one that is there and cannot be written. */
function reasonOf({ code, path = "", message }: NodeJS.ErrnoException): string {
  const where = existsSync(path) ? path : dirname(path);
  switch (code) {
    case "EACCES":
    case "EPERM":
      return `this user may not write in ${where}`;
    case "EROFS":
      return `${where} is on a read-only file system`;
    case "ENOTDIR":
      return `${where} is not a folder`;
    default:
      return message;
  }
}
