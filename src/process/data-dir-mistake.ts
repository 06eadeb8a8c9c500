/** Tells before anything is started that DATA_DIR cannot be written, and why. */
import { accessSync, constants, existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "#embedded-postgres/make-folder.ts";
import { describeDiskError, isDiskFull } from "../storage/disk.ts";
import type { Config } from "../config/config.ts";

type Needs = Pick<Config, "dataDir" | "databaseUrl" | "sessionSecret" | "storageUrl">;

/** What the program keeps there, each of which may be another's. */
const PARTS = ["", "postgres", "files"];
const SOME_BYTES = 64 * 1024;

/** Makes the folder. Null: all is well, or nothing is kept there. */
export function dataDirMistake({
  dataDir,
  databaseUrl,
  sessionSecret,
  storageUrl,
}: Needs): string | null {
  const elsewhere =
    databaseUrl !== null && sessionSecret !== null && !storageUrl.startsWith(`file:${dataDir}`);
  if (elsewhere) return null;
  try {
    makeFolder(dataDir);
    for (const part of PARTS) if (existsSync(join(dataDir, part))) checkFolder(join(dataDir, part));
    // Where there is a database already, commands are there to make room beside it.
    if (databaseUrl === null && !existsSync(join(dataDir, "postgres")))
      tryToWrite(join(dataDir, `.room-${process.pid}`));
    return null;
  } catch (error) {
    const advice = isDiskFull(error)
      ? "Make room there, or set DATA_DIR to another folder"
      : "Set DATA_DIR to a folder that this user may write";
    return `DATA_DIR: ${dataDir} cannot be used: ${describeDiskError(error)}. ${advice}.`;
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
