/** Takes a batch of a file that was uploaded before; it is validated and worked off behind it. */
import type { BatchRecord, PassedOn } from "../../batches/batch-record.ts";
import { countUnfinishedBatches, insertBatch } from "../../batches/batches.store.ts";
import type { BatchEndpoint } from "../../contract/enums/batch-endpoint.ts";
import type { Db } from "../../db/database.ts";
import { findPrivateFile } from "../../files/private-files.store.ts";
import { assert } from "../../kernel/assert.ts";
import { Fault } from "../../kernel/faults.ts";
import { newUuid, type Uuid } from "../../kernel/ids.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import { parseFileId } from "./batch-ids.ts";
import { MOST_UNFINISHED } from "./batch-limits.ts";
import { onceByKey, type KeepMade, type OnceByKeyDeps, type SentBatch } from "./once-by-key.ts";

export interface CreateBatchDeps extends OnceByKeyDeps {
  /** There is something to do. */
  wake(): void;
}

export interface BatchCall extends Pick<SentBatch, "requestId" | "idempotencyKey"> {
  readonly key: KeyRecord;
  readonly ip: string;
  readonly passedOn: PassedOn;
}

export interface BatchOrder extends BatchCall {
  readonly inputFileId: string;
  readonly endpoint: BatchEndpoint;
  readonly metadata: Readonly<Record<string, string>> | null;
  /** Null: result files live as long as other files. */
  readonly outputSeconds: number | null;
  /** As it was sent. */
  readonly body: Buffer;
}

/** Throws Fault: `invalid_request`, `rate_limit_exceeded`, those of idempotency. */
export function createBatch(deps: CreateBatchDeps, order: BatchOrder): Promise<BatchRecord> {
  const sent = { ...order, accountId: order.key.accountId, shape: "openai" } as const;
  return onceByKey(deps, sent, (keep) => make(deps, order, keep));
}

async function make(
  deps: CreateBatchDeps,
  order: BatchOrder,
  keep: KeepMade,
): Promise<BatchRecord> {
  const { key, ip, passedOn, endpoint, metadata, outputSeconds } = order;
  const { accountId, keyId } = key;
  const fileId = parseFileId(order.inputFileId);
  const file = fileId === null ? null : await findPrivateFile(deps.db, accountId, fileId);
  if (file?.purpose !== "batch")
    throw new Fault("invalid_request", {
      message: `This account has no file "${order.inputFileId.slice(0, 80)}" with the purpose "batch". Send it to POST /v1/files first.`,
      param: "input_file_id",
    });
  await checkUnfinishedBatches(deps.db, accountId);
  const batchId = newUuid();
  const batch = await deps.db.transaction(async (tx) => {
    const inserted = await insertBatch(tx, {
      accountId,
      batchId,
      keyId,
      shape: "openai",
      endpoint,
      inputFileId: file.fileId,
      inputName: file.name,
      clientIp: ip,
      passedOn,
      metadata,
      outputSeconds,
    });
    await keep(tx, batchId);
    return inserted;
  });
  assert(batch !== null, "an insertion answers with its row");
  deps.wake();
  return batch;
}

/** A bound for what is kept, not a promise: two that come at once may pass it together. */
export async function checkUnfinishedBatches(db: Db, accountId: Uuid): Promise<void> {
  if ((await countUnfinishedBatches(db, accountId)) < MOST_UNFINISHED) return;
  throw new Fault("rate_limit_exceeded", {
    message: `The account has ${MOST_UNFINISHED} batches that have not ended. Wait for one of them, or cancel it.`,
    retryAfterSeconds: 60,
  });
}
