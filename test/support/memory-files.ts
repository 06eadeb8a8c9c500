/**
 * Files in memory behind the HTTP endpoint, for tests of the endpoint itself: it counts what is
 * open and what was left behind.
 */
import { createHash, randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import type { ListedFile } from "../../src/serving/files/uploaded-file.ts";
import type { StoredFile } from "../../src/serving/files/open-file.ts";
import type { FilesUseCases } from "../../src/http/routes/files.ts";
import type { ImagesUseCases } from "../../src/http/routes/images.ts";
import type { StorageUseCases } from "../../src/http/routes/storage.ts";

interface Kept extends StoredFile {
  readonly accountId: string;
  readonly body: Buffer;
}

export interface MemoryFiles extends StorageUseCases, FilesUseCases, ImagesUseCases {
  readonly kept: Map<string, Kept>;
  /** Uploads that have begun and are neither committed nor discarded. */
  readonly pending: Set<string>;
  /** Streams that are open to readers. */
  reading: number;
  /** Bytes that were read of sources, kept or not. */
  taken: number;
  /** Where readers are sent instead. */
  redirect: string | null;
  /** Keeps a file as if it had been uploaded. */
  keep(file: Partial<Kept> & { readonly body: Buffer }): Kept;
}

/** `take` is waited for with every chunk of an upload. */
export function memoryFiles(
  options: Partial<StorageUseCases & FilesUseCases> & {
    readonly take?: (chunk: Buffer) => Promise<void>;
  } = {},
): MemoryFiles {
  const kept = new Map<string, Kept>();
  const pending = new Set<string>();

  function keep({ body, ...file }: Partial<Kept> & { readonly body: Buffer }): Kept {
    const made: Kept = {
      name: `${randomBytes(16).toString("hex")}.bin`,
      accountId: "",
      contentType: "application/octet-stream",
      inline: false,
      bytes: body.length,
      sha256: createHash("sha256").update(body).digest("hex"),
      fileName: "file.bin",
      verdict: null,
      storedAt: new Date(),
      expiresAt: new Date(Date.now() + 3_600_000),
      ...file,
      body,
    };
    kept.set(made.name, made);
    return made;
  }

  function listed(file: Kept): ListedFile {
    const { name, fileName, contentType, bytes, sha256, expiresAt, storedAt } = file;
    const url = `http://files.example/static/${name}`;
    return {
      name,
      url,
      fileName,
      contentType,
      bytes,
      sha256,
      expiresAt: expiresAt.toISOString(),
      storedAt: storedAt.toISOString(),
      origin: "upload",
    };
  }

  const files: MemoryFiles = {
    uploadLimitBytes: 1024 * 1024,
    kept,
    pending,
    reading: 0,
    taken: 0,
    redirect: null,
    keep,
    async receiveUpload({ requestId, source, fileName, key }) {
      pending.add(requestId);
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of source as AsyncIterable<Buffer>) {
          files.taken += chunk.length;
          await options.take?.(chunk);
          chunks.push(chunk);
        }
      } catch (error) {
        pending.delete(requestId);
        throw error;
      }
      return {
        async commit() {
          pending.delete(requestId);
          const {
            name: _,
            storedAt: __,
            origin: ___,
            ...file
          } = listed(
            keep({
              body: Buffer.concat(chunks),
              accountId: key.accountId,
              ...(fileName === null ? {} : { fileName }),
            }),
          );
          return { file, replayOf: null };
        },
        async discard() {
          pending.delete(requestId);
        },
      };
    },
    receiveFormFile: () => Promise.reject(new Error("there are no forms in memory")),
    async listFiles(key, { limit = 50, cursor }) {
      const all = [...kept.values()]
        .filter(({ accountId }) => accountId === key.accountId)
        .toReversed();
      const from =
        cursor === null || cursor === undefined
          ? 0
          : all.findIndex(({ name }) => name === cursor) + 1;
      const rows = all.slice(from, from + limit);
      return {
        rows: rows.map(listed),
        next: from + limit < all.length ? (rows.at(-1)?.name ?? null) : null,
      };
    },
    async deleteFile(key, name) {
      const file = kept.get(name);
      if (file?.accountId !== key.accountId) return "not-found";
      kept.delete(name);
      return "deleted";
    },
    staticPath: "/static",
    async openFile(name) {
      const file = kept.get(name);
      if (file === undefined) return { state: "missing" };
      return file.expiresAt.getTime() <= Date.now() ? { state: "gone" } : { state: "stored", file };
    },
    async readFile({ name }, range) {
      const body = kept.get(name)?.body;
      if (body === undefined) return null;
      files.reading += 1;
      const part = range === undefined ? body : body.subarray(range.first, range.last + 1);
      const pieces = Array.from({ length: Math.ceil(part.length / 16_384) }, (_, at) =>
        part.subarray(at * 16_384, (at + 1) * 16_384),
      );
      return Readable.from(pieces, { objectMode: false, highWaterMark: 16_384 }).once(
        "close",
        () => void (files.reading -= 1),
      );
    },
    fileRedirect: async () => files.redirect,
    ...options,
  };
  return files;
}
