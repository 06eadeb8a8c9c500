/**
 * A stored file as everybody who knows its URL may have it: what it is, its bytes, or an address of
 * the storage that gives them.
 */
import type { Readable } from "node:stream";
import type { Queryable } from "../../db/database.ts";
import { findFile } from "../../files/files.store.ts";
import type { FileRecord } from "../../files/file-record.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { ByteRange, ObjectStorage } from "../../storage/object-storage.ts";
import { contentDisposition } from "./content-disposition.ts";

export type StoredFile = Pick<
  FileRecord,
  | "name"
  | "contentType"
  | "inline"
  | "bytes"
  | "sha256"
  | "fileName"
  | "verdict"
  | "storedAt"
  | "expiresAt"
>;

export type OpenedFile =
  | { readonly state: "stored"; readonly file: StoredFile }
  /** It was here, and is no more (410). */
  | { readonly state: "gone" }
  | { readonly state: "missing" };

export interface FileReaderDeps {
  readonly db: Queryable;
  readonly storage: Pick<ObjectStorage, "read" | "presign">;
  readonly clock: Pick<Clock, "now">;
  /** Whether callers are sent to the storage itself, where it has addresses of its own. */
  readonly delivery: "proxy" | "redirect";
}

export interface FileReader {
  /** `name` is the last part of the URL, whatever it says. */
  openFile(name: string): Promise<OpenedFile>;
  /**
   * Its bytes, or those of a range as far as they exist. Null: it was removed meanwhile. The caller
   * reads the stream to its end or destroys it.
   */
  readFile(file: Pick<StoredFile, "name">, range?: ByteRange): Promise<Readable | null>;
  /**
   * Where the storage itself gives the file, for an hour at most and never beyond its time; null
   * where the gateway has to.
   */
  fileRedirect(file: StoredFile): Promise<string | null>;
}

const REDIRECT_SECONDS = 3_600;

export function createFileReader({ db, storage, clock, delivery }: FileReaderDeps): FileReader {
  return {
    openFile: (name) => findFile(db, name),
    readFile: (file, range) => storage.read(file.name, range),
    async fileRedirect(file) {
      if (delivery === "proxy") return null;
      const leftSeconds = Math.floor((file.expiresAt.getTime() - clock.now().getTime()) / 1000);
      if (leftSeconds < 1) return null;
      return storage.presign(file.name, {
        seconds: Math.min(leftSeconds, REDIRECT_SECONDS),
        contentType: file.contentType,
        contentDisposition: contentDisposition(file),
        cacheControl: `public, max-age=${leftSeconds}, immutable`,
      });
    },
  };
}
