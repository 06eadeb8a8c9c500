/** An account's batches: found, listed, stopped, their results read, and forgotten. */
import type { Readable } from "node:stream";
import type { BatchRecord } from "../../batches/batch-record.ts";
import {
  cancelBatch,
  deleteBatch,
  findBatch,
  listAllBatches,
  listBatches,
  type BatchPage,
} from "../../batches/batches.store.ts";
import type { BatchShape } from "../../contract/enums/batch-state.ts";
import type { Db } from "../../db/database.ts";
import { findPrivateFile, markPrivateDeleted } from "../../files/private-files.store.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { ObjectStorage } from "../../storage/object-storage.ts";
import { readPage, type Page, type PageRequest } from "../read-page.ts";
import { parseBatchId, shapeOfBatchId } from "./batch-ids.ts";

export interface AccountBatchesDeps {
  readonly db: Db;
  readonly storage: Pick<ObjectStorage, "read">;
  wake(): void;
}

export interface OpenedResults {
  readonly bytes: number;
  open(): Promise<Readable>;
}

export interface AccountBatches {
  /** Throws Fault("not_found") for another account's, too. */
  find(accountId: Uuid, shape: BatchShape, id: string): Promise<BatchRecord>;
  /** Of both protocols, newest first. Throws Fault("invalid_request"), as `readPage`. */
  listAll(accountId: Uuid, page: PageRequest): Promise<Page<BatchRecord>>;
  /** As `cancel`, of whichever protocol its id is. */
  cancelAny(accountId: Uuid, id: string): Promise<BatchRecord>;
  /** One more than asked for tells that there are others. */
  list(page: BatchPage): Promise<readonly BatchRecord[]>;
  /** Throws Fault: `not_found`, `conflict` for one that has ended; stopping again changes nothing. */
  cancel(accountId: Uuid, shape: BatchShape, id: string): Promise<BatchRecord>;
  /** Of a message batch. Throws Fault: `not_found`, also while it has none. */
  results(accountId: Uuid, id: string): Promise<OpenedResults>;
  /** A message batch that has ended, and its results. Throws Fault: `not_found`, `conflict`. */
  forget(accountId: Uuid, id: string): Promise<void>;
}

export function createAccountBatches(deps: AccountBatchesDeps): AccountBatches {
  const { db, storage } = deps;

  async function find(accountId: Uuid, shape: BatchShape, id: string): Promise<BatchRecord> {
    const batchId = parseBatchId(shape, id);
    const batch = batchId === null ? null : await findBatch(db, { accountId, batchId }, shape);
    if (batch === null)
      throw new Fault("not_found", { message: "This account has no such batch." });
    return batch;
  }

  async function cancel(accountId: Uuid, shape: BatchShape, id: string): Promise<BatchRecord> {
    const batch = await find(accountId, shape, id);
    const cancelled = await cancelBatch(db, batch, shape);
    if (cancelled !== null) {
      deps.wake();
      return cancelled;
    }
    const now = await find(accountId, shape, id);
    if (now.endedAt === null) return now;
    throw new Fault("conflict", {
      message: `This batch has ended (${now.state}): it cannot be cancelled any more.`,
    });
  }

  return {
    find,
    list: (page) => listBatches(db, page),
    listAll: (accountId, page) =>
      readPage(
        page,
        (wanted) => listAllBatches(db, { accountId, ...wanted }),
        ({ batchId }) => batchId,
      ),
    cancel,
    cancelAny: (accountId, id) => cancel(accountId, shapeOfBatchId(id), id),
    async results(accountId, id) {
      const { outputFileId, endedAt } = await find(accountId, "anthropic", id);
      const file =
        outputFileId === null || endedAt === null
          ? null
          : await findPrivateFile(db, accountId, outputFileId);
      if (file === null)
        throw new Fault("not_found", {
          message:
            endedAt === null
              ? "This batch has no results yet: its processing_status is not `ended`."
              : "The results of this batch are not kept any more.",
        });
      return { bytes: file.bytes, open: () => openStored(storage, file.name) };
    },
    async forget(accountId, id) {
      const batch = await find(accountId, "anthropic", id);
      await db.transaction(async (tx) => {
        const gone = await deleteBatch(tx, batch, "anthropic");
        if (gone === null)
          throw new Fault("conflict", {
            message: "This batch has not ended: cancel it first, and wait for its end.",
          });
        // Their bytes go with the next sweep.
        await markPrivateDeleted(tx, accountId, gone.inputFileId);
        if (gone.outputFileId !== null) await markPrivateDeleted(tx, accountId, gone.outputFileId);
      });
    },
  };
}

/** Throws Fault("not_found") for what was removed since it was looked up. */
export async function openStored(
  storage: Pick<ObjectStorage, "read">,
  name: string,
): Promise<Readable> {
  const source = await storage.read(name);
  if (source === null)
    throw new Fault("not_found", { message: "This file is not there any more." });
  return source;
}
