/**
 * Objects as files of a folder on this machine: written aside, made durable, then moved to their
 * place in one step.
 */
import { randomUUID } from "node:crypto";
import {
  access,
  constants,
  mkdir,
  open,
  readdir,
  rename,
  stat,
  unlink,
  type FileHandle,
} from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { Readable } from "node:stream";
import { assert } from "../kernel/assert.ts";
import { makeFolders, orMissing, syncFolder } from "./disk.ts";
import { assertObjectKey } from "./object-key.ts";
import { assertByteRange, type ObjectStorage } from "./object-storage.ts";
import { asStorageFull } from "./storage-full.ts";
import { takeSource } from "./take-source.ts";

/**
 * In the folder itself, because a rename works within one file system only. No key begins with a
 * dot.
 */
const UNFINISHED = ".tmp";
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const REMOVALS_AT_ONCE = 16;
const CHECK_TIMEOUT_MS = 3_000;

/** Makes the folder when it is missing. Rejects when it cannot. */
export async function openLocalStorage(folder: string): Promise<ObjectStorage> {
  const root = resolve(folder);
  const unfinished = join(root, UNFINISHED);
  const made = await makeFolders(unfinished, FOLDER_MODE);
  await access(unfinished, constants.W_OK | constants.X_OK);
  if (made !== undefined) await syncFolder(dirname(made));

  function pathOf(key: string): string {
    assertObjectKey(key);
    return join(root, key.slice(0, 2), key);
  }

  /** From here on the object is there, whatever happens to the machine. */
  async function moveIn(temporary: string, path: string): Promise<void> {
    const shard = dirname(path);
    await mkdir(shard, { recursive: true, mode: FOLDER_MODE });
    await rename(temporary, path);
    try {
      // The root too: the folder may be new, made by this write or by another that has not synced
      // it yet.
      await Promise.all([syncFolder(shard), syncFolder(root)]);
    } catch (error) {
      // In its place, but with no promise that it stays.
      await removeFile(path).catch(() => undefined);
      throw error;
    }
  }

  return {
    kind: "local",

    async put(key, source, { signal }) {
      const path = pathOf(key);
      const taken = takeSource(source, signal);
      const temporary = join(unfinished, randomUUID());
      let handle: FileHandle | null = null;
      try {
        taken.signal.throwIfAborted();
        handle = await open(temporary, "wx", FILE_MODE);
        const bytes = await writeAll(handle, source);
        await handle.sync();
        await closeOnce();
        taken.signal.throwIfAborted();
        await moveIn(temporary, path);
        return { bytes };
      } catch (error) {
        const full = asStorageFull(error);
        taken.fail(full);
        await closeOnce().catch(() => undefined);
        await removeFile(temporary).catch(() => undefined);
        throw full;
      } finally {
        taken.release();
      }

      async function closeOnce(): Promise<void> {
        const opened = handle;
        handle = null;
        await opened?.close();
      }
    },

    async read(key, range) {
      if (range !== undefined) assertByteRange(range);
      const handle = await openFile(pathOf(key));
      if (handle === null) return null;
      try {
        const { size } = await handle.stat();
        const first = range?.first ?? 0;
        if (first < size) {
          // The stream closes the file when it ends or is destroyed; past the end of the file there
          // is nothing for it to read.
          return handle.createReadStream({ start: first, end: range?.last ?? size - 1 });
        }
      } catch (error) {
        await handle.close();
        throw error;
      }
      await handle.close();
      return Readable.from([], { objectMode: false });
    },

    async size(key) {
      return (await sizeOf(pathOf(key))) ?? null;
    },

    localPath: (key) => pathOf(key),

    presign: (key) => {
      assertObjectKey(key);
      return Promise.resolve(null);
    },

    async remove(keys) {
      const paths = keys.map(pathOf);
      for (let start = 0; start < paths.length; start += REMOVALS_AT_ONCE) {
        await Promise.all(paths.slice(start, start + REMOVALS_AT_ONCE).map(removeFile));
      }
    },

    async sweepUnfinished(olderThanMs) {
      const before = Date.now() - olderThanMs;
      let removed = 0;
      for (const name of await readdir(unfinished)) {
        const path = join(unfinished, name);
        // A write in progress touches its file with every chunk, so it stays young.
        const modifiedMs = await modifiedAt(path);
        if (modifiedMs === null || modifiedMs > before) continue;
        await removeFile(path);
        removed += 1;
      }
      return removed;
    },

    check: () => within(CHECK_TIMEOUT_MS, tryFolder(unfinished)),

    close: () => Promise.resolve(),
  };
}

/** Returns the bytes written. A source that ends too early throws here. */
async function writeAll(handle: FileHandle, source: Readable): Promise<number> {
  let bytes = 0;
  for await (const chunk of source) {
    assert(chunk instanceof Uint8Array, "the source of an object gives bytes");
    // The system may take less than it is given, at the edge of a full disk for instance.
    for (let written = 0; written < chunk.byteLength;) {
      written += (await handle.write(chunk, written, chunk.byteLength - written)).bytesWritten;
    }
    bytes += chunk.byteLength;
  }
  return bytes;
}

/** A byte written, read and removed again: a disk that is full, read-only or gone fails here. */
async function tryFolder(folder: string): Promise<void> {
  const path = join(folder, randomUUID());
  try {
    const handle = await open(path, "wx+", FILE_MODE);
    try {
      await handle.write("?", 0);
      const { bytesRead } = await handle.read(Buffer.alloc(1), 0, 1, 0);
      if (bytesRead !== 1) throw new Error("the folder of the files does not keep what is written");
    } finally {
      await handle.close();
    }
  } finally {
    await removeFile(path);
  }
}

/** A network disk that hangs answers never. */
async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`the folder of the files did not answer within ${timeoutMs} ms`)),
    timeoutMs,
  );
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

const openFile = (path: string): Promise<FileHandle | null> => orMissing(open(path, "r"));
const sizeOf = async (path: string): Promise<number | null> =>
  (await orMissing(stat(path)))?.size ?? null;
const modifiedAt = async (path: string): Promise<number | null> =>
  (await orMissing(stat(path)))?.mtimeMs ?? null;

async function removeFile(path: string): Promise<void> {
  await orMissing(unlink(path));
}
