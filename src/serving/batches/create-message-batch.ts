/**
 * Takes a message batch, whose requests are in its body: kept as a private file while it comes,
 * checked from there, and admitted with its money before it is answered.
 */
import type { Readable } from "node:stream";
import type { BatchRecord } from "../../batches/batch-record.ts";
import { findBatch } from "../../batches/batches.store.ts";
import { markPrivateDeleted } from "../../files/private-files.store.ts";
import { assert } from "../../kernel/assert.ts";
import { newUuid } from "../../kernel/ids.ts";
import type { CountTexts } from "../chat/refuse-too-long.ts";
import { hearErrors, type Intake, type ReceivedFile } from "../files/intake.ts";
import type { UploadPlaces } from "../files/upload-places.ts";
import type { Conversations } from "../responses/conversation.ts";
import { admitNew, type CheckedLines } from "./admit-batch.ts";
import { atBatchPrices, type VersionedCatalogue } from "./batch-catalogue.ts";
import { checkRequests } from "./check-requests.ts";
import { checkUnfinishedBatches, type BatchCall, type CreateBatchDeps } from "./create-batch.ts";
import { onceByKey, type KeepMade } from "./once-by-key.ts";
import type { ValidationTurns } from "./validation-turns.ts";

export interface CreateMessageBatchDeps extends CreateBatchDeps {
  readonly intake: Intake;
  readonly places: UploadPlaces;
  readonly turns: ValidationTurns;
  readonly catalogue: { current(): VersionedCatalogue };
  readonly countTexts: CountTexts;
  readonly conversations: Conversations;
}

export interface MessageBatchOrder extends BatchCall {
  /** The body, read to its end. */
  readonly source: Readable;
  readonly limitBytes: number;
  /** Aborted when the caller leaves. */
  readonly signal: AbortSignal;
}

type ReceivedBody = Pick<ReceivedFile, "open" | "commit">;

const ENDPOINT = "messages";

/**
 * Throws Fault: `invalid_request` for a body that is no list of requests, the refusals of money,
 * those of storage and of idempotency. What is wrong with the parameters of one request is told in the results.
 */
export async function createMessageBatch(
  deps: CreateMessageBatchDeps,
  order: MessageBatchOrder,
): Promise<BatchRecord> {
  hearErrors(order.source);
  const { accountId } = order.key;
  const place = deps.places.take(accountId);
  try {
    const body = await receive(deps, order, place.cut);
    let kept = false;
    const once: ReceivedBody = {
      open: () => body.open(),
      commit() {
        kept = true;
        return body.commit();
      },
    };
    try {
      const sent = { ...order, accountId, shape: "anthropic", body: digestOf(body) } as const;
      return await onceByKey(deps, sent, (keep) => make(deps, order, once, keep));
    } finally {
      if (!kept) await body.discard();
    }
  } finally {
    place.leave();
  }
}

function receive(
  { intake }: CreateMessageBatchDeps,
  { key, source, limitBytes, signal }: MessageBatchOrder,
  cut: AbortSignal,
): Promise<ReceivedFile> {
  return intake.receive({
    accountId: key.accountId,
    keyId: key.keyId,
    origin: "upload",
    purpose: "batch_part",
    fileName: "requests.json",
    limitBytes,
    source,
    signal: AbortSignal.any([signal, cut]),
  });
}

function digestOf({ sha256 }: ReceivedFile): Buffer {
  return Buffer.from(sha256, "hex");
}

async function make(
  deps: CreateMessageBatchDeps,
  order: MessageBatchOrder,
  received: ReceivedBody,
  keep: KeepMade,
): Promise<BatchRecord> {
  const { key, ip, passedOn } = order;
  const { accountId, keyId } = key;
  await checkUnfinishedBatches(deps.db, accountId);
  const checked = await deps.turns.take(() => check(deps, order, received));
  const file = await received.commit();
  const batch = {
    accountId,
    batchId: newUuid(),
    keyId,
    shape: "anthropic",
    endpoint: ENDPOINT,
    inputFileId: file.fileId,
    inputName: file.name,
    clientIp: ip,
    passedOn,
    metadata: null,
    outputSeconds: null,
  } as const;
  try {
    await admitNew(deps.db, batch, checked, keep);
  } catch (error) {
    // Its bytes go with the next sweep.
    await markPrivateDeleted(deps.db, accountId, file.fileId);
    throw error;
  }
  deps.wake();
  const admitted = await findBatch(deps.db, batch, "anthropic");
  assert(admitted !== null, "a batch that was admitted is there");
  return admitted;
}

async function check(
  { catalogue, countTexts, conversations }: CreateMessageBatchDeps,
  { key, ip, signal }: MessageBatchOrder,
  received: ReceivedBody,
): Promise<CheckedLines> {
  const priced = atBatchPrices(catalogue.current());
  const asker = { priced, endpoint: ENDPOINT, key, ip, countTexts, conversations } as const;
  const source = await received.open();
  try {
    return { lines: await checkRequests(source, asker, signal), priceVersion: priced.version };
  } finally {
    source.destroy();
  }
}
