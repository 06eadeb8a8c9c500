/**
 * A fresh private folder for the server's socket: short, because socket paths are limited to about
 * 100 bytes, and open to the server's user alone.
 */
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import type { ServerUser } from "./server-user.ts";

const PREFIX = "tollgate-pg-";
/** 103 bytes on macOS, 107 on Linux, of which the folder's own name and the socket's take 36. */
const LONGEST_BASE = 60;

export function makeSocketFolder(user: ServerUser | null): string {
  const base = [tmpdir(), "/tmp", "/run"].find(
    (path) => Buffer.byteLength(path) <= LONGEST_BASE && canEnter(path, user),
  );
  if (base === undefined) {
    throw new Error(
      `No folder for the database's socket: user ${user?.name ?? "of this process"} can enter neither ${tmpdir()} nor /tmp. Set TMPDIR to a folder that everybody may enter, or set DATABASE_URL.`,
    );
  }
  const path = mkdtempSync(join(base, PREFIX));
  chmodSync(path, 0o700);
  if (user !== null) chownSync(path, user.uid, user.gid);
  return path;
}

/**
 * Removes a folder made by makeSocketFolder, now or in an earlier life; anything else is left
 * alone.
 */
export function removeSocketFolder(path: string): void {
  if (basename(path).startsWith(PREFIX)) rmSync(path, { recursive: true, force: true });
}

/** Whether the user may walk down to the folder, judged by the mode bits of each step. */
function canEnter(path: string, user: ServerUser | null): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || !found.isDirectory()) return false;
  if (user !== null) {
    const bit = found.uid === user.uid ? 0o100 : found.gid === user.gid ? 0o010 : 0o001;
    if ((found.mode & bit) === 0) return false;
  }
  const parent = dirname(resolve(path));
  return parent === resolve(path) || canEnter(parent, user);
}
