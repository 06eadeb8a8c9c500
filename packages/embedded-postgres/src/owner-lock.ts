/**
 * At most one process runs the server of a data directory: a lock that the kernel drops with its
 * process, so it is never stale.
 */
import { DatabaseSync } from "node:sqlite";

export interface OwnerLock {
  release(): void;
}

/**
 * Takes the lock, or returns null when another process has it. SQLite is only the bearer: its
 * exclusive transaction is a POSIX record lock, the one kind of lock that Node can take, that needs
 * no clean-up after kill -9, and that works the same on every system. Nothing is ever written to
 * the file.
 */
export function takeOwnerLock(path: string): OwnerLock | null {
  const file = new DatabaseSync(path);
  try {
    file.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE");
  } catch (error) {
    file.close();
    if (isBusy(error)) return null;
    throw error;
  }
  return { release: () => file.close() };
}

const SQLITE_BUSY = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY;
}
