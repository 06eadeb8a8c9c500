/**
 * Makes a folder with those above it, one by one: made all at once, one below a read-only folder
 * ends as "no such file", and one below /proc never ends (Node 26.0).
 */
import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Throws the system's error, with the path of the folder that could not be made. */
export function makeFolder(path: string, mode = 0o777): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}
