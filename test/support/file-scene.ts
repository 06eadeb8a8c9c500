/**
 * Files as a gateway process handles them, on a real database and a real folder or bucket, with
 * real media workers, for tests of the use cases.
 */
import assert from "node:assert/strict";
import { PassThrough, Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import sharp from "sharp";
import { openDatabase, type Db } from "../../src/db/database.ts";
import { isFileName } from "../../src/files/file-name.ts";
import { createIntake, type Intake } from "../../src/serving/files/intake.ts";
import { createFileReader, type FileReader } from "../../src/serving/files/open-file.ts";
import {
  createUploads,
  type UploadCall,
  type UploadReport,
  type Uploads,
} from "../../src/serving/files/receive-upload.ts";
import { createFileSweeper, type FileSweeper } from "../../src/serving/files/sweep-files.ts";
import type { UploadedFile } from "../../src/serving/files/uploaded-file.ts";
import { createIdempotency } from "../../src/serving/admission/idempotency.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { Fault, type FaultCode } from "../../src/kernel/faults.ts";
import { newUuid, type Uuid } from "../../src/kernel/ids.ts";
import { createMediaWorkers, type MediaWorkers } from "../../src/media/media-workers.ts";
import type { ObjectStorage } from "../../src/storage/object-storage.ts";
import { openStoragePlace } from "../storage/storage-places.ts";
import { testDatabase } from "./database.ts";

export const STATIC_URL = "https://files.test/static";

export interface ProcessOptions {
  readonly quotaBytes?: number;
  readonly limitBytes?: number;
  /** Stands between the use cases and the real thing. */
  readonly storage?: (real: ObjectStorage) => ObjectStorage;
  readonly db?: (real: Db) => Db;
}

/** One process's share: a pool and an id of its own over the same database and folder. */
export interface FileProcess {
  readonly ownerId: Uuid;
  readonly db: Db;
  readonly storage: ObjectStorage;
  readonly intake: Intake;
  readonly uploads: Uploads;
  readonly reader: FileReader;
  readonly sweeper: FileSweeper;
  readonly reports: UploadReport[];
  readonly errors: unknown[];
  /** Received and committed. */
  upload(content: Readable | Uint8Array, call?: Partial<UploadCall>): Promise<UploadedFile>;
}

export interface FileScene extends AsyncDisposable {
  readonly databaseUrl: string;
  readonly storageUrl: string;
  readonly db: Db;
  readonly media: MediaWorkers;
  /** Processes that are believed dead. */
  readonly dead: Set<Uuid>;
  process(options?: ProcessOptions): FileProcess;
  /** Names of all objects in the storage. */
  objects(): Promise<string[]>;
  /** Of writes that have not ended. */
  unfinished(): Promise<string[]>;
  /** Rows by state, over all accounts. */
  rows(): Promise<Record<string, number>>;
  /** Insists that `work` leaves neither rows nor objects of its own. */
  leavesNothing<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Insists that every object has a stored row, every stored row its object, every counter its
   * rows, and that nothing is under way.
   */
  assertWhole(): Promise<void>;
}

export function callOf(
  content: Readable | Uint8Array,
  change: Partial<UploadCall> = {},
): UploadCall {
  return {
    requestId: newUuid(),
    key: { keyId: newUuid(), accountId: newUuid() },
    fileName: "cat.png",
    declaredBytes: null,
    source: content instanceof Readable ? content : Readable.from([content], { objectMode: false }),
    idempotencyKey: null,
    signal: new AbortController().signal,
    ...change,
  };
}

/** `edge` pixels square, of noise where `noisy`: such a picture is about three bytes a pixel. */
export async function picture(edge = 16, noisy = false): Promise<Buffer> {
  const made = { width: edge, height: edge, channels: 3, background: "#3a7" } as const;
  return sharp({
    create: noisy ? { ...made, noise: { type: "gaussian", mean: 128, sigma: 60 } } : made,
  })
    .png()
    .toBuffer();
}

/** So many bytes of no known type, a chunk at a time. */
export function fillerBytes(total: number, chunk = 64 * 1024): Readable {
  let left = total;
  const piece = Buffer.alloc(chunk, 0xa5);
  return new Readable({
    read() {
      if (left === 0) return void this.push(null);
      const size = Math.min(left, chunk);
      left -= size;
      this.push(piece.subarray(0, size));
    },
  });
}

/** A sender that has sent this and says no more. */
export function stalled(content: Uint8Array): PassThrough {
  const source = new PassThrough();
  source.write(content);
  return source;
}

/** The last part of a file's URL. */
export const nameOf = (url: string): string => url.split("/").at(-1) ?? "";

export const isFault =
  (code: FaultCode, message = /./) =>
  (error: unknown): boolean =>
    error instanceof Fault && error.code === code && message.test(error.message);

export async function bytesOf(stream: Readable | null): Promise<Buffer | null> {
  return stream === null ? null : buffer(stream);
}

export async function openFileScene(kind: ObjectStorage["kind"] = "local"): Promise<FileScene> {
  const database = await testDatabase();
  const place = await openStoragePlace(kind);
  const { url: storageUrl, storage: real } = place;
  const media = createMediaWorkers({
    readable: kind === "local" ? [storageUrl.slice("file:".length)] : [],
  });
  const dead = new Set<Uuid>();
  const pools: Db[] = [];

  const lying = async (): Promise<{ readonly name: string; readonly object: boolean }[]> =>
    (await place.everything()).map((entry) => {
      const name = entry.split("/").at(-1) ?? "";
      return { name, object: isFileName(name) && !entry.startsWith("unfinished ") };
    });
  const objects = async (): Promise<string[]> =>
    (await lying()).filter(({ object }) => object).map(({ name }) => name);
  const unfinished = async (): Promise<string[]> =>
    (await lying()).filter(({ object }) => !object).map(({ name }) => name);

  async function rows(): Promise<Record<string, number>> {
    const counts = await database.db.query<{ state: string; count: bigint }>(
      "SELECT state::text, count(*) AS count FROM files.files GROUP BY 1 ORDER BY 1",
    );
    return Object.fromEntries(counts.map(({ state, count }) => [state, Number(count)]));
  }

  return {
    databaseUrl: database.url,
    storageUrl,
    db: database.db,
    media,
    dead,
    process({ quotaBytes = 2 ** 40, limitBytes = 2 ** 30, storage: wrap, db: wrapDb } = {}) {
      const pool = openDatabase({
        url: database.url,
        poolSize: 10,
        applicationName: "a process of the test",
        onError: () => undefined,
      });
      pools.push(pool);
      const db = wrapDb?.(pool) ?? pool;
      const storage = wrap?.(real) ?? real;
      const ownerId = newUuid();
      const errors: unknown[] = [];
      const reports: UploadReport[] = [];
      const onError = (_what: string, error: unknown): void => void errors.push(error);
      const isDead = async (id: Uuid): Promise<boolean> => dead.has(id);
      const intake = createIntake({
        db,
        storage,
        media,
        ownerId,
        retentionDays: 14,
        quotaBytes,
        onError,
      });
      const uploads = createUploads({
        intake,
        db,
        ownerId,
        idempotency: createIdempotency({ db, isDead, onError: (error) => errors.push(error) }),
        staticUrl: () => STATIC_URL,
        limitBytes,
        quotaBytes,
        onDone: (report) => reports.push(report),
      });
      return {
        ownerId,
        db,
        storage,
        intake,
        uploads,
        reader: createFileReader({ db, storage, clock: systemClock, delivery: "proxy" }),
        sweeper: createFileSweeper({ db, storage, clock: systemClock, isDead, onError }),
        reports,
        errors,
        upload: async (content, call) =>
          (await (await uploads.receive(callOf(content, call))).commit()).file,
      };
    },
    objects,
    unfinished,
    rows,
    async leavesNothing(work) {
      const before = { rows: await rows(), objects: await objects() };
      const result = await work();
      assert.deepEqual({ rows: await rows(), objects: await objects() }, before);
      return result;
    },
    async assertWhole() {
      const stored = await database.db.query<{ name: string }>(
        "SELECT name FROM files.files WHERE state = 'stored' ORDER BY name",
      );
      assert.deepEqual(
        (await objects()).toSorted(),
        stored.map(({ name }) => name),
      );
      const wrong = await database.db.query(
        `SELECT account_id, u.bytes, s.bytes AS rows FROM files.usage u
         FULL JOIN (SELECT account_id, sum(bytes) AS bytes, count(*) AS files FROM files.files WHERE state = 'stored' GROUP BY 1) s USING (account_id)
         WHERE coalesce(u.bytes, 0) <> coalesce(s.bytes, 0) OR coalesce(u.files, 0) <> coalesce(s.files, 0)`,
      );
      assert.deepEqual(wrong, []);
      assert.equal((await rows())["receiving"], undefined);
      assert.deepEqual(await unfinished(), []);
    },
    async [Symbol.asyncDispose]() {
      await media.close();
      await Promise.all(pools.map((pool) => pool.close()));
      await database.drop();
      await place[Symbol.asyncDispose]();
    },
  };
}
