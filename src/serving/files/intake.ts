/**
 * The one way by which bytes become a stored file: a row that says so, the bytes into the storage,
 * what they are, the row's word that they are served. Whatever ends it before that leaves nothing,
 * and what this process cannot clear away any more is left to the sweeper.
 */
import { pipeline, type Readable } from "node:stream";
import type { FileOrigin } from "../../contract/enums/file-origin.ts";
import type { Db, Tx } from "../../db/database.ts";
import { cleanFileName } from "../../files/clean-file-name.ts";
import { newFileName } from "../../files/file-name.ts";
import type { FilePurpose, FileRecord } from "../../files/file-record.ts";
import { dropReceiving, insertReceiving, storeFile } from "../../files/files.store.ts";
import { finishRemovals } from "../../files/sweep.store.ts";
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import { Fault } from "../../kernel/faults.ts";
import { newUuid, type Uuid } from "../../kernel/ids.ts";
import { detectType, HEAD_BYTES, type DetectedType } from "../../media/detect-type.ts";
import type { ProbeVerdict } from "../../media/media-facts.ts";
import type { MediaSource, MediaWorkers } from "../../media/media-workers.ts";
import type { ObjectStorage } from "../../storage/object-storage.ts";
import { UPLOAD_DEADLINE_MS } from "./file-times.ts";
import { createMeter, type FileHead, type Meter } from "./meter.ts";
import { storedSource } from "./stored-source.ts";

export interface IntakeDeps {
  readonly db: Db;
  readonly storage: ObjectStorage;
  readonly media: Pick<MediaWorkers, "probe">;
  /** This process, as hold recovery keeps its lease. */
  readonly ownerId: Uuid;
  readonly retentionDays: number;
  /** For the stored files of one account. */
  readonly quotaBytes: number;
  onError(what: string, error: unknown): void;
}

export interface IntakeOrder {
  readonly accountId: Uuid;
  readonly keyId: Uuid | null;
  readonly origin: FileOrigin;
  /** Of a private file; absent: it is public. */
  readonly purpose?: FilePurpose;
  /** As its sender called it. */
  readonly fileName: string | null;
  readonly limitBytes: number;
  /** Read to its end, or destroyed. */
  readonly source: Readable;
  readonly signal: AbortSignal;
  /** Throws when a file that begins like this is not wanted; nothing of it is stored then. */
  checkHead?(head: FileHead, type: DetectedType): Promise<void> | void;
}

/**
 * All bytes are in the storage, and no reader sees them yet. Exactly one of `commit` and `discard`
 * is to be called.
 */
export interface ReceivedFile {
  readonly bytes: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
  /** As it will be shown. */
  readonly fileName: string;
  readonly contentType: string;
  /** Its bytes, for the media workers. */
  readonly source: MediaSource;
  /** Its bytes from the beginning, as often as they are wanted. Rejects where they are gone. */
  open(): Promise<Readable>;
  /**
   * What measuring says; null for what is no image, video or audio, and where it could not be
   * measured. Measured once.
   */
  measure(): Promise<ProbeVerdict | null>;
  /**
   * Makes it a stored file; `within` is done in the same transaction. `livesSeconds`: absent, as
   * long as files are kept. Throws
   * Fault("storage_quota_exceeded"), whatever `within` throws, and Fault("overloaded"); the file is
   * discarded then, unless the database did not say whether it is stored.
   */
  commit(
    within?: (tx: Tx, file: FileRecord) => Promise<void>,
    livesSeconds?: number,
  ): Promise<FileRecord>;
  /** Never throws. */
  discard(): Promise<void>;
}

export interface Intake {
  /** Throws a Fault, or what the source ended in; nothing is left of the file then. */
  receive(order: IntakeOrder): Promise<ReceivedFile>;
}

const SECONDS_A_DAY = 86_400;
/**
 * Media that is in order as far as was looked. Anything else that could not be measured only claims
 * to be media: it is not shown.
 */
const SHOWN_UNMEASURED: ReadonlySet<string> = new Set(["unsupported", "too_many_pixels"]);

export function createIntake(deps: IntakeDeps): Intake {
  const { db, storage, ownerId } = deps;

  async function discard(accountId: Uuid, fileId: Uuid, name: string): Promise<void> {
    try {
      // What is stored by now, or another one's to remove, keeps its bytes.
      if (!(await db.transaction((tx) => dropReceiving(tx, { accountId, fileId, ownerId }))))
        return;
      await storage.remove([name]);
      await finishRemovals(db, [name]);
    } catch (error) {
      deps.onError("what is left of a file that was not stored waits for the sweeper", error);
    }
  }

  return {
    async receive(order) {
      const { limitBytes, source } = order;
      hearErrors(source);
      const deadline = AbortSignal.timeout(UPLOAD_DEADLINE_MS);
      const signal = AbortSignal.any([order.signal, deadline]);
      if (signal.aborted) {
        source.destroy();
        throw reasonOf(signal, deadline);
      }
      const meter = createMeter({
        limitBytes,
        headBytes: HEAD_BYTES,
        overLimit: () => tooLarge(limitBytes),
      });
      const stop = (): void => void meter.stream.destroy(reasonOf(signal, deadline));
      signal.addEventListener("abort", stop, { once: true });
      // The code that waits for its head or writes it hears how it ends; an error that comes in
      // between must not end the process.
      hearErrors(meter.stream);
      pipeline(source, meter.stream, () => undefined);

      let begun: { readonly fileId: Uuid; readonly name: string } | null = null;
      try {
        const head = await meter.head;
        if (head.bytes.length === 0)
          throw new Fault("invalid_request", { ...sayRefusal("empty_file"), param: "file" });
        const type = await detectType(head.bytes);
        await order.checkHead?.(head, type);
        const fileId = newUuid();
        const name = newFileName(type.extension);
        const fileName =
          (order.fileName === null ? null : cleanFileName(order.fileName)) ??
          `file.${type.extension}`;
        const { accountId, keyId, origin, purpose } = order;
        begun = { fileId, name };
        await insertReceiving(db, {
          fileId,
          name,
          accountId,
          keyId,
          origin,
          ownerId,
          fileName,
          contentType: type.contentType,
          ...(purpose === undefined ? {} : { purpose }),
        });
        await storage.put(name, meter.stream, { contentType: type.contentType, signal });
        return received({ accountId, fileId, name, fileName, type, meter });
      } catch (error) {
        const cause = firstCause(error, order, meter, signal, deadline);
        meter.stream.destroy();
        source.destroy();
        if (begun !== null) await discard(order.accountId, begun.fileId, begun.name);
        throw cause;
      } finally {
        signal.removeEventListener("abort", stop);
      }
    },
  };

  function received(stored: {
    readonly accountId: Uuid;
    readonly fileId: Uuid;
    readonly name: string;
    readonly fileName: string;
    readonly type: DetectedType;
    readonly meter: Meter;
  }): ReceivedFile {
    const { accountId, fileId, name, fileName, type, meter } = stored;
    const { bytes } = meter;
    const sha256 = meter.sha256();
    const source = storedSource(storage, name, bytes);
    let measured: Promise<ProbeVerdict | null> | null = null;

    async function probe(): Promise<ProbeVerdict | null> {
      if (type.media === null) return null;
      try {
        return await deps.media.probe(source);
      } catch (error) {
        deps.onError("a file could not be measured", error);
        return null;
      }
    }
    const measure = (): Promise<ProbeVerdict | null> => (measured ??= probe());

    return {
      bytes,
      sha256: sha256.toString("hex"),
      fileName,
      contentType: type.contentType,
      source,
      async open() {
        const opened = await storage.read(name);
        if (opened === null) throw new Error("a file that was received is not there any more");
        return opened;
      },
      measure,
      discard: () => discard(accountId, fileId, name),
      async commit(within, livesSeconds = deps.retentionDays * SECONDS_A_DAY) {
        const verdict = await measure();
        const inline =
          type.inline && (verdict === null || verdict.ok || SHOWN_UNMEASURED.has(verdict.reason));
        try {
          return await db.transaction(async (tx) => {
            const { quotaBytes } = deps;
            const outcome = await storeFile(tx, {
              accountId,
              fileId,
              ownerId,
              bytes,
              sha256,
              inline,
              verdict,
              retentionSeconds: livesSeconds,
              quotaBytes,
            });
            if (outcome.kind === "lost")
              throw new Fault("overloaded", {
                message: "The upload took too long to be kept. Send it again.",
              });
            if (outcome.kind === "over-quota")
              throw overQuota(bytes, outcome.usedBytes, quotaBytes);
            await within?.(tx, outcome.file);
            return outcome.file;
          });
        } catch (error) {
          await discard(accountId, fileId, name);
          throw error;
        }
      },
    };
  }
}

/**
 * An error without a listener ends the process; the reader of this stream hears of one as soon as
 * it reads.
 */
export function hearErrors(source: Readable): void {
  source.on("error", () => undefined);
}

export function tooLarge(limitBytes: number): Fault {
  return new Fault("request_too_large", {
    message: `A file has ${inWords(limitBytes)} at most.`,
    param: "file",
    params: { limitBytes },
  });
}

/** `bytes`: of the file that does not fit; null where it is not known. */
export function overQuota(bytes: number | null, usedBytes: number, quotaBytes: number): Fault {
  const free = `${inWords(Math.max(0, quotaBytes - usedBytes))} of the account's ${inWords(quotaBytes)} are free`;
  return new Fault("storage_quota_exceeded", {
    message: `${bytes === null ? free : `The file has ${inWords(bytes)}, and ${free}`}. Delete files, or wait until some expire.`,
    param: "file",
    params: { freeBytes: Math.max(0, quotaBytes - usedBytes), quotaBytes },
  });
}

/** Of the errors that one failure shows as, the one that tells what it was. */
function firstCause(
  error: unknown,
  { source }: IntakeOrder,
  meter: Meter,
  signal: AbortSignal,
  deadline: AbortSignal,
): unknown {
  const ended = source.errored ?? meter.stream.errored;
  const fault = [meter.stream.errored, ended, error].find((each) => each instanceof Fault);
  return fault ?? (signal.aborted ? reasonOf(signal, deadline) : (ended ?? error));
}

function reasonOf(signal: AbortSignal, deadline: AbortSignal): Error {
  if (deadline.aborted)
    return new Fault("request_timeout", { message: "The file did not arrive in time." });
  const reason: unknown = signal.reason;
  return reason instanceof Error
    ? reason
    : new Error("the upload was broken off", { cause: reason });
}

export function inWords(bytes: number): string {
  const units = [
    ["GB", 1024 ** 3],
    ["MB", 1024 ** 2],
    ["KB", 1024],
  ] as const;
  const unit = units.find(([, size]) => bytes >= size);
  return unit === undefined
    ? `${bytes} bytes`
    : `${(Math.floor((bytes / unit[1]) * 10) / 10).toString()} ${unit[0]}`;
}
