/**
 * Both places for files, each empty and real: a folder, and a bucket of an S3-compatible server.
 */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ObjectStorage } from "../../src/storage/object-storage.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { startS3Server } from "./s3-server.ts";

export interface StoragePlace extends AsyncDisposable {
  readonly url: string;
  readonly storage: ObjectStorage;
  /** Everything that lies there, finished or not, by names of the place's own. */
  everything(): Promise<string[]>;
}

export const STORAGE_KINDS = ["local", "s3"] as const;

export async function openStoragePlace(kind: ObjectStorage["kind"]): Promise<StoragePlace> {
  if (kind === "local") {
    const folder = await mkdtemp(join(tmpdir(), "tollgate-storage-"));
    const url = `file:${folder}`;
    return {
      url,
      storage: await openStorage(url),
      async everything() {
        const entries = await readdir(folder, { recursive: true, withFileTypes: true });
        return entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
      },
      [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
    };
  }
  const server = await startS3Server();
  const url = server.url("http=1&prefix=some/place");
  const storage = await openStorage(url);
  return {
    url,
    storage,
    everything: async () => [
      ...(await server.objects()),
      ...(await server.uploads()).map((key) => `unfinished ${key}`),
    ],
    async [Symbol.asyncDispose]() {
      await storage.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
