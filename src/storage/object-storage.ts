/**
 * What a place for bytes under names promises, whether it is a local disk or an S3-compatible
 * server.
 */
import type { Readable } from "node:stream";
import { assert } from "../kernel/assert.ts";

export interface PutOptions {
  /** Kept with the object where the place can (S3); the truth about a file is its row. */
  readonly contentType: string;
  /** Ends the write; nothing is left of it. */
  readonly signal?: AbortSignal;
}

/** Bytes of an object, counted from 0, both inclusive. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

export function assertByteRange({ first, last }: ByteRange): void {
  const whole = Number.isSafeInteger(first) && Number.isSafeInteger(last);
  assert(
    whole && first >= 0 && last >= first,
    "a range goes from a byte to the same or a later one",
  );
}

export interface PresignOptions {
  readonly seconds: number;
  /** The headers that the address answers with, whatever was stored. */
  readonly contentType: string;
  readonly contentDisposition: string | null;
  readonly cacheControl: string;
}

/**
 * A key that is not of the form of `object-key.ts` is a broken invariant of the caller and throws
 * before anything is touched.
 */
export interface ObjectStorage {
  readonly kind: "local" | "s3";

  /**
   * Stores the whole stream under `key`, or nothing: on an error of the source, an abort, or a full
   * disk it rejects and leaves nothing. Constant memory. Durable when it resolves. A key is written
   * once: keys are random, so it is not checked whether one is taken. The source is destroyed when
   * it fails. A full disk is the fault `storage_full`.
   */
  put(key: string, source: Readable, options: PutOptions): Promise<{ readonly bytes: number }>;

  /**
   * All bytes of the object, or those of the range as far as they exist (none when it begins past
   * the end). Null: no such object. The caller reads the stream to its end or destroys it.
   */
  read(key: string, range?: ByteRange): Promise<Readable | null>;

  /** In bytes. Null: no such object. */
  size(key: string): Promise<number | null>;

  /** Where the object lies on this machine's disk; null for S3. */
  localPath(key: string): string | null;

  /**
   * An address that gives the object to anybody for so long; null where there is none (local disk).
   * Whether the object exists is not checked.
   */
  presign(key: string, options: PresignOptions): Promise<string | null>;

  /** Those that do not exist count as removed. Rejects when any other could not be removed. */
  remove(keys: readonly string[]): Promise<void>;

  /**
   * Removes what unfinished writes older than this left (temporary files, multipart uploads);
   * returns how many.
   */
  sweepUnfinished(olderThanMs: number): Promise<number>;

  /** Rejects when nothing can be stored or read, within a few seconds. */
  check(): Promise<void>;

  close(): Promise<void>;
}
