/**
 * A batch that is sent again with its idempotency key is the same batch: the record of the key names
 * it, and is kept in the transaction that makes it.
 */
import { findBatch } from "../../batches/batches.store.ts";
import type { BatchRecord } from "../../batches/batch-record.ts";
import type { BatchShape } from "../../contract/enums/batch-state.ts";
import type { Db, Tx } from "../../db/database.ts";
import { digestRequest } from "../../idempotency/digest-request.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { Idempotency } from "../admission/idempotency.ts";
import { keepMade } from "../files/keep-made.ts";

export interface OnceByKeyDeps {
  readonly db: Db;
  readonly ownerId: Uuid;
  readonly idempotency: Pick<Idempotency, "begin" | "forget">;
}

/** How a batch was sent. */
export interface SentBatch {
  readonly accountId: Uuid;
  readonly requestId: Uuid;
  readonly shape: BatchShape;
  /** The caller's own name for this request; null without one. */
  readonly idempotencyKey: string | null;
  /** With the key, what makes two requests the same. */
  readonly body: Buffer;
}

/** Writes what the key answers from now on, in the transaction that makes the batch. */
export type KeepMade = (tx: Tx, batchId: Uuid) => Promise<void>;

/**
 * Makes it, or finds the one that was made by this key: as it is by now. Throws Fault: those of
 * idempotency, and what `make` throws, after which the key is free again.
 */
export async function onceByKey(
  deps: OnceByKeyDeps,
  sent: SentBatch,
  make: (keep: KeepMade) => Promise<BatchRecord>,
): Promise<BatchRecord> {
  const { accountId, requestId, idempotencyKey: key, shape, body } = sent;
  if (key === null) return make(async () => undefined);
  const claim = { accountId, key, requestId };
  const digest = digestRequest(`batches/${shape}`, body);
  const replay = await deps.idempotency.begin({ ...claim, ownerId: deps.ownerId, digest });
  if (replay !== null) {
    const { batchId } = JSON.parse(replay.answer.body.toString()) as { readonly batchId: Uuid };
    const made = await findBatch(deps.db, { accountId, batchId }, shape);
    if (made === null) throw new Fault("idempotency_answer_gone");
    return made;
  }
  try {
    return await make((tx, batchId) => keepMade(tx, claim, { batchId }, "batch"));
  } catch (error) {
    // A caller that mends the batch, tops up or waits may try the same key again.
    await deps.idempotency.forget(claim);
    throw error;
  }
}
