/**
 * An upload: one file read to its end, and then, if its sender has kept to the rules of the
 * request, stored and answered with its URL.
 */
import type { Readable } from "node:stream";
import type { FileRecord } from "../../files/file-record.ts";
import { usedBytes } from "../../files/files.store.ts";
import { digestRequest } from "../../idempotency/digest-request.ts";
import type { RecordClaim } from "../../idempotency/record.ts";
import { Fault, toFault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { detectType, HEAD_BYTES } from "../../media/detect-type.ts";
import type { Idempotency } from "../admission/idempotency.ts";
import { findStandIn } from "./find-stand-in.ts";
import {
  hearErrors,
  overQuota,
  tooLarge,
  type Intake,
  type IntakeDeps,
  type ReceivedFile,
} from "./intake.ts";
import { keepMade } from "./keep-made.ts";
import { createUploadPlaces } from "./upload-places.ts";
import { uploadedFile, type UploadedFile } from "./uploaded-file.ts";

export interface UploadCall {
  readonly requestId: Uuid;
  /** Whose it will be; no key stands for what a session of the panel sends. */
  readonly key: { readonly keyId: Uuid | null; readonly accountId: Uuid };
  /** As its sender called it. */
  readonly fileName: string | null;
  /** Of the whole body, as its head says; null where it does not. */
  readonly declaredBytes: number | null;
  /** The file's bytes. Read to their end, or destroyed. */
  readonly source: Readable;
  /** As `readIdempotencyKey` gives it. */
  readonly idempotencyKey: string | null;
  /** Aborted when the sender has left; an upload that is not committed by then is discarded. */
  readonly signal: AbortSignal;
}

export interface UploadAnswer {
  readonly file: UploadedFile;
  /**
   * The request that was answered so before by the same idempotency key; null where this one stored
   * the file.
   */
  readonly replayOf: Uuid | null;
}

/** Exactly one of the two is to be called; of several calls the first counts. */
export interface PendingUpload {
  /**
   * Throws Fault: `storage_quota_exceeded`, those of idempotency, `overloaded`. Nothing is left of
   * the file then, unless the database did not say whether it is stored.
   */
  commit(): Promise<UploadAnswer>;
  /** Never throws. */
  discard(): Promise<void>;
}

export interface UploadReport {
  /**
   * `stored`, `replayed` (the answer of an earlier request with the same idempotency key),
   * `discarded` (complete, but not wanted), `aborted` (its sender left), or the code of the fault.
   */
  readonly outcome: string;
  /** Of the stored file; 0 for anything else. */
  readonly bytes: number;
}

export interface UploadDeps {
  readonly intake: Intake;
  readonly db: IntakeDeps["db"];
  readonly ownerId: Uuid;
  readonly idempotency: Pick<Idempotency, "begin" | "forget">;
  /** Without a slash at its end; asked when a URL is made, because the port may be known late. */
  staticUrl(): string;
  /** For one file. */
  readonly limitBytes: number;
  readonly quotaBytes: number;
  /** Once for each upload. */
  onDone(report: UploadReport): void;
}

export interface Uploads {
  /**
   * Resolves when all bytes are in the storage. Throws Fault: `request_too_large` as soon as the
   * limit is passed, `invalid_request` for an empty file and for a text that stands for one,
   * `storage_quota_exceeded`, `storage_full`, `overloaded`, `rate_limit_exceeded`,
   * `request_timeout`; and whatever the source ended in.
   */
  receive(call: UploadCall): Promise<PendingUpload>;
  /** How many run now. */
  readonly active: number;
  /**
   * Takes no more, waits so long for those that run, cuts off the rest, and resolves when nothing
   * is left of them.
   */
  drain(deadlineMs: number): Promise<void>;
}

/** What a multipart body may have around the file. */
const BODY_OVERHEAD_BYTES = 64 * 1024;

export function createUploads(deps: UploadDeps): Uploads {
  const { limitBytes, quotaBytes } = deps;
  const places = createUploadPlaces();

  /**
   * What can be known before anything is read. Whether there is room is decided when all is read;
   * this spares the sender the way.
   */
  async function checkDeclared(call: UploadCall): Promise<void> {
    const least = Math.max(0, (call.declaredBytes ?? 0) - BODY_OVERHEAD_BYTES);
    if (least > limitBytes) throw tooLarge(limitBytes);
    const used = await usedBytes(deps.db, call.key.accountId);
    if (used + Math.max(least, 1) > quotaBytes)
      throw overQuota(least > 0 ? least : null, used, quotaBytes);
  }

  async function receive(call: UploadCall, signal: AbortSignal): Promise<ReceivedFile> {
    await checkDeclared(call);
    return deps.intake.receive({
      ...call.key,
      origin: "upload",
      fileName: call.fileName,
      limitBytes,
      source: call.source,
      signal,
      async checkHead(head) {
        const isMedia = async (bytes: Buffer): Promise<boolean> =>
          (await detectType(bytes.subarray(0, HEAD_BYTES))).media !== null;
        const standIn = await findStandIn(head, isMedia);
        if (standIn === null) return;
        throw new Fault("invalid_request", {
          message: `The file is ${standIn}. Send the file itself: its bytes as they are.`,
          param: "file",
        });
      },
    });
  }

  async function commit(call: UploadCall, file: ReceivedFile): Promise<UploadAnswer> {
    const { idempotencyKey, requestId } = call;
    const { accountId } = call.key;
    let made: UploadedFile | null = null;
    const make = (stored: FileRecord): UploadedFile =>
      (made = uploadedFile(stored, deps.staticUrl()));
    if (idempotencyKey === null) return { file: make(await file.commit()), replayOf: null };

    const claim: RecordClaim = { accountId, key: idempotencyKey, requestId };
    const digest = digestRequest("storage.upload", Buffer.from(`${file.sha256}\n${file.fileName}`));
    const replay = await deps.idempotency.begin({ ...claim, ownerId: deps.ownerId, digest });
    if (replay !== null) {
      await file.discard();
      return {
        file: JSON.parse(replay.answer.body.toString()) as UploadedFile,
        replayOf: replay.requestId,
      };
    }
    try {
      const stored = await file.commit((tx, record) => keepMade(tx, claim, make(record), "upload"));
      return { file: made ?? make(stored), replayOf: null };
    } catch (error) {
      await deps.idempotency.forget(claim);
      throw error;
    }
  }

  return {
    async receive(call) {
      hearErrors(call.source);
      let place;
      try {
        place = places.take(call.key.accountId);
      } catch (error) {
        call.source.destroy();
        deps.onDone({ outcome: toFault(error).code, bytes: 0 });
        throw error;
      }
      const signal = AbortSignal.any([call.signal, place.cut]);
      const end = (report: UploadReport): void => {
        signal.removeEventListener("abort", abandon);
        place.leave();
        deps.onDone(report);
      };
      let file: ReceivedFile;
      let decided = false;
      const abandon = (): void => void pending.discard();
      const pending: PendingUpload = {
        async commit() {
          if (decided) throw new Fault("overloaded", { message: "The upload was broken off." });
          decided = true;
          try {
            const answer = await commit(call, file);
            const stored = answer.replayOf === null;
            end({ outcome: stored ? "stored" : "replayed", bytes: stored ? answer.file.bytes : 0 });
            return answer;
          } catch (error) {
            await file.discard();
            end({ outcome: toFault(error).code, bytes: 0 });
            throw error;
          }
        },
        async discard() {
          if (decided) return;
          decided = true;
          await file.discard();
          end({ outcome: "discarded", bytes: 0 });
        },
      };
      try {
        file = await receive(call, signal);
      } catch (error) {
        call.source.destroy();
        end({ outcome: call.signal.aborted ? "aborted" : toFault(error).code, bytes: 0 });
        throw error;
      }
      if (signal.aborted) abandon();
      else signal.addEventListener("abort", abandon, { once: true });
      return pending;
    },
    get active() {
      return places.taken;
    },
    drain: (deadlineMs) => places.drain(deadlineMs),
  };
}
