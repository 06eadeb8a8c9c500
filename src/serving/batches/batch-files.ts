/** Private files, for batches and of them: received, found, listed, read and deleted by their account. */
import type { Readable } from "node:stream";
import { isReadByBatch } from "../../batches/batches.store.ts";
import type { Db } from "../../db/database.ts";
import type { FilePurpose } from "../../files/file-record.ts";
import {
  findPrivateFile,
  listPrivateFiles,
  markPrivateDeleted,
  type PrivateFile,
} from "../../files/private-files.store.ts";
import { finishRemovals } from "../../files/sweep.store.ts";
import { digestRequest } from "../../idempotency/digest-request.ts";
import type { Idempotency } from "../admission/idempotency.ts";
import { assert } from "../../kernel/assert.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { ObjectStorage } from "../../storage/object-storage.ts";
import { hearErrors, type Intake, type ReceivedFile } from "../files/intake.ts";
import { keepMade } from "../files/keep-made.ts";
import type { UploadPlaces } from "../files/upload-places.ts";
import { openStored } from "./account-batches.ts";
import { parseFileId } from "./batch-ids.ts";

/** Those that their account sees. */
const SHOWN_PURPOSES = ["batch", "batch_output"] as const satisfies readonly FilePurpose[];

export interface BatchFilesDeps {
  readonly db: Db;
  readonly storage: Pick<ObjectStorage, "read" | "remove">;
  readonly intake: Intake;
  readonly ownerId: Uuid;
  readonly idempotency: Pick<Idempotency, "begin" | "forget">;
  readonly places: UploadPlaces;
  /** Of one file. */
  readonly limitBytes: number;
  onError(what: string, error: unknown): void;
}

/** The request that sends a file. */
export interface SentFile {
  readonly requestId: Uuid;
  /** The caller's own name for it; null without one. */
  readonly idempotencyKey: string | null;
}

interface FileToStore {
  readonly accountId: Uuid;
  readonly livesSeconds: number | null;
  readonly sent: SentFile | undefined;
}

export interface StoredBatchFile extends PrivateFile {
  /** The request that stored it with the same idempotency key; null where this one did. */
  readonly replayOf: Uuid | null;
}

export interface ReceivedBatchFile {
  /**
   * `livesSeconds`: null, as long as files are kept. Throws Fault: `storage_quota_exceeded`, those of
   * idempotency, `overloaded`; nothing is left of it then.
   */
  commit(livesSeconds: number | null): Promise<StoredBatchFile>;
  discard(): Promise<void>;
}

export interface BatchFiles {
  readonly limitBytes: number;
  /** Reads the source to its end. One of the two is to be called then. */
  receive(file: {
    readonly accountId: Uuid;
    readonly keyId: Uuid;
    readonly fileName: string | null;
    readonly source: Readable;
    readonly signal: AbortSignal;
    /** Absent: it is stored anew, however often it is sent. */
    readonly sent?: SentFile;
  }): Promise<ReceivedBatchFile>;
  /** Throws Fault("not_found"). */
  find(accountId: Uuid, id: string): Promise<PrivateFile>;
  list(page: {
    readonly accountId: Uuid;
    readonly purpose: string | null;
    readonly before: Uuid | null;
    readonly limit: number;
  }): Promise<readonly PrivateFile[]>;
  open(file: PrivateFile): Promise<Readable>;
  /** Throws Fault: `not_found`, `conflict` while a batch reads it. */
  remove(accountId: Uuid, id: string): Promise<void>;
}

export function createBatchFiles(deps: BatchFilesDeps): BatchFiles {
  const { db, storage, intake, places, limitBytes } = deps;

  async function find(accountId: Uuid, id: string): Promise<PrivateFile> {
    const fileId = parseFileId(id);
    const file = fileId === null ? null : await findPrivateFile(db, accountId, fileId);
    if (file === null || !isShown(file.purpose))
      throw new Fault("not_found", { message: "This account has no such file." });
    return file;
  }

  async function found(accountId: Uuid, fileId: Uuid): Promise<PrivateFile> {
    const file = await findPrivateFile(db, accountId, fileId);
    assert(file !== null, "a file that was stored is there");
    return file;
  }

  /** The file of an earlier request with the same key, or this one, by which the key is known. */
  async function storeOnce(
    received: ReceivedFile,
    { accountId, livesSeconds, sent }: FileToStore,
  ): Promise<StoredBatchFile> {
    const lives = livesSeconds ?? undefined;
    const key = sent?.idempotencyKey ?? null;
    if (sent === undefined || key === null) {
      const { fileId } = await received.commit(undefined, lives);
      return { ...(await found(accountId, fileId)), replayOf: null };
    }
    const { requestId } = sent;
    const claim = { accountId, key, requestId };
    const digest = digestRequest(
      "files",
      Buffer.from([received.sha256, received.fileName, livesSeconds].join("\n")),
    );
    const replay = await deps.idempotency.begin({ ...claim, ownerId: deps.ownerId, digest });
    if (replay !== null) {
      await received.discard();
      const { fileId } = JSON.parse(replay.answer.body.toString()) as { readonly fileId: Uuid };
      const file = await findPrivateFile(db, accountId, fileId);
      // Deleted, or over.
      if (file === null) throw new Fault("idempotency_answer_gone");
      return { ...file, replayOf: replay.requestId };
    }
    try {
      const stored = await received.commit(
        (tx, { fileId }) => keepMade(tx, claim, { fileId }, "upload"),
        lives,
      );
      return { ...(await found(accountId, stored.fileId)), replayOf: null };
    } catch (error) {
      await deps.idempotency.forget(claim);
      throw error;
    }
  }

  return {
    limitBytes,
    async receive({ accountId, keyId, fileName, source, signal, sent }) {
      hearErrors(source);
      const place = places.take(accountId);
      let received: ReceivedFile;
      try {
        received = await intake.receive({
          accountId,
          keyId,
          fileName,
          source,
          signal: AbortSignal.any([signal, place.cut]),
          origin: "upload",
          purpose: "batch",
          limitBytes,
        });
      } catch (error) {
        place.leave();
        throw error;
      }
      return {
        async commit(livesSeconds) {
          try {
            return await storeOnce(received, { accountId, livesSeconds, sent });
          } catch (error) {
            await received.discard();
            throw error;
          } finally {
            place.leave();
          }
        },
        async discard() {
          await received.discard();
          place.leave();
        },
      };
    },
    find,
    async list({ purpose, ...page }) {
      const purposes = SHOWN_PURPOSES.filter((one) => purpose === null || one === purpose);
      return purposes.length === 0 ? [] : listPrivateFiles(db, { ...page, purposes });
    },
    open: (file) => openStored(storage, file.name),
    async remove(accountId, id) {
      const { fileId, name } = await find(accountId, id);
      if (await isReadByBatch(db, accountId, fileId))
        throw new Fault("conflict", {
          message: "A batch that has not ended reads this file. Wait for its end, or cancel it.",
        });
      if ((await db.transaction((tx) => markPrivateDeleted(tx, accountId, fileId))) === null)
        throw new Fault("not_found", { message: "This account has no such file." });
      try {
        await storage.remove([name]);
        await finishRemovals(db, [name]);
      } catch (error) {
        deps.onError("the bytes of a deleted file wait for the sweeper", error);
      }
    },
  };
}

function isShown(purpose: FilePurpose): boolean {
  return purpose !== "batch_part";
}
