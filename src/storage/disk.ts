/** What everything that keeps files on this machine needs: names that survive a crash, and files that may be gone. */
import { open } from "node:fs/promises";

/** Without this a crash of the machine may forget the names of files whose bytes are safe. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
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
