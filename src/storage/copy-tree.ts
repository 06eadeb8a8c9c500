/**
 * Copies folders that others go on writing to: one file after the other, in small pieces, and on
 * the disk when it is done.
 */
import { mkdir, open, readdir, readlink, stat, symlink, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { orMissing, syncFolder } from "./disk.ts";

export interface TreeCopy {
  /** Of files so far. */
  readonly bytes: number;
  readonly files: number;
  /**
   * A folder that is there already takes in what it lacks. Other paths than those that `takes`
   * accepts are left out, with all below them.
   */
  folder(from: string, to: string, takes: Takes): Promise<void>;
  /** False when there is no such file (any more). */
  file(from: string, to: string): Promise<boolean>;
  /** Writes a file of the owner and mode of another one. */
  write(to: string, content: Uint8Array, like: string): Promise<void>;
  /** From here on all the names are on the disk, too. */
  syncFolders(): Promise<void>;
}

/** Whether something is copied, by its path below the folder, with slashes. */
export type Takes = (path: string) => boolean;

export interface TreeCopyOptions {
  /** Rejects whatever runs with its reason. */
  readonly signal: AbortSignal;
  /** After every piece. */
  onBytes(total: number): void;
}

const PIECE_BYTES = 1024 * 1024;
/**
 * Much that waits to be written would keep everybody's commits waiting when it is flushed at last.
 */
const UNSYNCED_BYTES = 32 * PIECE_BYTES;

/**
 * Owners and modes stay what they are. Links are copied as links; sockets and the like are not
 * copied. What vanishes meanwhile is left out.
 */
export function createTreeCopy({ signal, onBytes }: TreeCopyOptions): TreeCopy {
  const buffer = Buffer.alloc(PIECE_BYTES);
  const folders = new Set<string>();
  /** Only root can give files away; anybody else owns what is copied. */
  const keepsOwner = process.getuid?.() === 0;
  let bytes = 0;
  let files = 0;

  async function writeAll(target: FileHandle, piece: Uint8Array): Promise<void> {
    for (let written = 0; written < piece.byteLength;) {
      written += (await target.write(piece, written, piece.byteLength - written)).bytesWritten;
    }
    bytes += piece.byteLength;
    onBytes(bytes);
  }

  /**
   * As long as the file was when it was opened, at most: it may be cut meanwhile, and what is
   * appended is not waited for.
   */
  async function pour(source: FileHandle, target: FileHandle, size: number): Promise<void> {
    let unsynced = 0;
    for (let left = size; left > 0;) {
      signal.throwIfAborted();
      const { bytesRead } = await source.read(buffer, 0, Math.min(left, PIECE_BYTES), null);
      if (bytesRead === 0) return;
      await writeAll(target, buffer.subarray(0, bytesRead));
      left -= bytesRead;
      unsynced += bytesRead;
      if (unsynced < UNSYNCED_BYTES) continue;
      await target.datasync();
      unsynced = 0;
    }
  }

  async function create(
    to: string,
    like: Owned,
    fill: (target: FileHandle) => Promise<void>,
  ): Promise<void> {
    const target = await open(to, "w", 0o600);
    try {
      await fill(target);
      await giveTo(target, like);
      await target.sync();
    } finally {
      await target.close();
    }
    files += 1;
  }

  async function giveTo(target: FileHandle, { uid, gid, mode }: Owned): Promise<void> {
    if (keepsOwner) await target.chown(uid, gid);
    await target.chmod(mode & 0o7777);
  }

  async function makeFolder(from: string, to: string): Promise<void> {
    const like = await orMissing(stat(from));
    if (like === null) return;
    await mkdir(to, { recursive: true, mode: 0o700 });
    const target = await open(to, "r");
    try {
      await giveTo(target, like);
    } finally {
      await target.close();
    }
    folders.add(to);
  }

  async function file(from: string, to: string): Promise<boolean> {
    signal.throwIfAborted();
    const source = await orMissing(open(from, "r"));
    if (source === null) return false;
    try {
      const found = await source.stat();
      await create(to, found, (target) => pour(source, target, found.size));
    } finally {
      await source.close();
    }
    return true;
  }

  return {
    get bytes() {
      return bytes;
    },
    get files() {
      return files;
    },
    file,

    async folder(from, to, takes) {
      await makeFolder(from, to);
      for await (const { path, kind } of walk(from, takes)) {
        signal.throwIfAborted();
        const [source, target] = [join(from, path), join(to, path)];
        if (kind === "folder") await makeFolder(source, target);
        else if (kind === "file") await file(source, target);
        else await symlink(await readlink(source), target);
      }
    },

    async write(to, content, like) {
      await create(to, await stat(like), (target) => writeAll(target, content));
    },

    async syncFolders() {
      for (const path of folders) await syncFolder(path);
    },
  };
}

interface Owned {
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
}

/** What a copy of the folder would take, in bytes. */
export async function measureFolder(folder: string, takes: Takes): Promise<number> {
  let bytes = 0;
  for await (const { path, kind } of walk(folder, takes)) {
    if (kind === "file") bytes += (await orMissing(stat(join(folder, path))))?.size ?? 0;
  }
  return bytes;
}

interface Found {
  /** Below the folder, with slashes. */
  readonly path: string;
  readonly kind: "folder" | "file" | "link";
}

/** A folder comes before what is in it. */
async function* walk(root: string, takes: Takes, below = ""): AsyncGenerator<Found> {
  for (const entry of (await orMissing(readdir(join(root, below), { withFileTypes: true }))) ??
    []) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    const kind = entry.isFile()
      ? "file"
      : entry.isDirectory()
        ? "folder"
        : entry.isSymbolicLink()
          ? "link"
          : null;
    if (kind === null || !takes(path)) continue;
    yield { path, kind };
    if (kind === "folder") yield* walk(root, takes, path);
  }
}
