/**
 * Takes a message batch, whose requests are in its body: checked, kept as a private file, and
 * admitted with its money before it is answered.
 */
import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { BatchRecord, NewLine } from "../../batches/batch-record.ts";
import { findBatch } from "../../batches/batches.store.ts";
import { markPrivateDeleted } from "../../files/private-files.store.ts";
import { assert } from "../../kernel/assert.ts";
import { Fault, toFault } from "../../kernel/faults.ts";
import { newUuid } from "../../kernel/ids.ts";
import { ZERO_NANO } from "../../kernel/money.ts";
import { isRecord } from "../../protocol/json/is-record.ts";
import { readJsonObject } from "../../protocol/json/read-json-object.ts";
import type { CountTexts } from "../chat/refuse-too-long.ts";
import type { Intake } from "../files/intake.ts";
import type { Conversations } from "../responses/conversation.ts";
import { admitNew, type CheckedLines } from "./admit-batch.ts";
import { atBatchPrices, type VersionedCatalogue } from "./batch-catalogue.ts";
import { LINE_LIMIT_BYTES, MOST_LINES } from "./batch-limits.ts";
import { checkUnfinishedBatches, type BatchCall, type CreateBatchDeps } from "./create-batch.ts";
import { onceByKey, type KeepMade } from "./once-by-key.ts";
import { quoteLine, type LineAsker } from "./quote-line.ts";
import { refusalOf } from "./refusal-of.ts";

export interface CreateMessageBatchDeps extends CreateBatchDeps {
  readonly intake: Intake;
  readonly catalogue: { current(): VersionedCatalogue };
  readonly countTexts: CountTexts;
  readonly conversations: Conversations;
}

export interface MessageBatchOrder extends BatchCall {
  readonly body: Buffer;
  /** Aborted when the caller leaves. */
  readonly signal: AbortSignal;
}

/** A request as the file keeps it. */
interface Entry {
  readonly customId: string;
  readonly params: Buffer;
}

const ENDPOINT = "messages";
const CUSTOM_ID = /^[a-zA-Z0-9_-]{1,64}$/;
const LINE_END = Buffer.from("\n");
/** Work between two turns of the event loop. */
const SLICE_MS = 5;

/**
 * Throws Fault: `invalid_request` for a body that is no list of requests, the refusals of money,
 * those of storage and of idempotency. What is wrong with the parameters of one request is told in the results.
 */
export function createMessageBatch(
  deps: CreateMessageBatchDeps,
  order: MessageBatchOrder,
): Promise<BatchRecord> {
  const sent = { ...order, accountId: order.key.accountId, shape: "anthropic" } as const;
  return onceByKey(deps, sent, (keep) => make(deps, order, keep));
}

async function make(
  deps: CreateMessageBatchDeps,
  order: MessageBatchOrder,
  keep: KeepMade,
): Promise<BatchRecord> {
  const { key, ip, passedOn, signal } = order;
  const { accountId, keyId } = key;
  await checkUnfinishedBatches(deps.db, accountId);
  const entries = await readEntries(order.body);
  const { countTexts, conversations } = deps;
  const priced = atBatchPrices(deps.catalogue.current());
  const asker = { priced, endpoint: ENDPOINT, key, ip, countTexts, conversations } as const;
  const checked: CheckedLines = {
    lines: await checkEntries(entries, asker),
    priceVersion: priced.version,
  };
  const received = await deps.intake.receive({
    accountId,
    keyId,
    origin: "upload",
    purpose: "batch_part",
    fileName: "requests.jsonl",
    limitBytes: Number.MAX_SAFE_INTEGER,
    source: Readable.from(entries.flatMap(({ params }) => [params, LINE_END])),
    signal,
  });
  const file = await received.commit();
  const batchId = newUuid();
  const batch = {
    accountId,
    batchId,
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

async function readEntries(body: Buffer): Promise<Entry[]> {
  const reading = readJsonObject(body, ["requests"]);
  if (!reading.ok) throw reading.fault;
  const { requests } = reading.object.whole();
  if (!Array.isArray(requests) || requests.length === 0)
    throw refused("requests", "requests: a list of at least one request is expected.");
  if (requests.length > MOST_LINES)
    throw refused("requests", `requests: a batch has ${MOST_LINES} requests at most.`);
  const seen = new Set<string>();
  const entries: Entry[] = [];
  let sliceMs = performance.now();
  for (const [index, request] of (requests as unknown[]).entries()) {
    entries.push(readEntry(request, `requests.${index}`, seen));
    if (performance.now() - sliceMs < SLICE_MS) continue;
    await nextTurn();
    sliceMs = performance.now();
  }
  return entries;
}

function readEntry(request: unknown, at: string, seen: Set<string>): Entry {
  if (!isRecord(request)) throw refused(at, `${at}: an object is expected.`);
  const { custom_id: customId, params } = request;
  if (typeof customId !== "string" || !CUSTOM_ID.test(customId))
    throw refused(
      `${at}.custom_id`,
      `${at}.custom_id: 1 to 64 letters, digits, hyphens and underscores are expected.`,
    );
  if (seen.has(customId))
    throw refused(`${at}.custom_id`, `${at}.custom_id: "${customId}" is there more than once.`);
  seen.add(customId);
  if (!isRecord(params))
    throw refused(`${at}.params`, `${at}.params: the body of a message is expected.`);
  const bytes = Buffer.from(JSON.stringify(params));
  if (bytes.length > LINE_LIMIT_BYTES)
    throw refused(
      `${at}.params`,
      `${at}.params: a request has ${LINE_LIMIT_BYTES / 1024 / 1024} MB at most.`,
    );
  return { customId, params: bytes };
}

async function checkEntries(entries: readonly Entry[], asker: LineAsker): Promise<NewLine[]> {
  const lines: NewLine[] = [];
  let firstByte = 0;
  let sliceMs = performance.now();
  for (const { customId, params } of entries) {
    const line = { lineNo: lines.length + 1, customId, firstByte, bytes: params.length };
    firstByte += params.length + LINE_END.length;
    try {
      lines.push({ ...line, quoteNano: await quoteLine(asker, params), refused: null });
    } catch (error) {
      const fault = toFault(error);
      if (fault.status >= 500) throw error;
      lines.push({ ...line, quoteNano: ZERO_NANO, refused: refusalOf("anthropic", fault, null) });
    }
    if (performance.now() - sliceMs < SLICE_MS) continue;
    await nextTurn();
    sliceMs = performance.now();
  }
  return lines;
}

function refused(param: string, message: string): Fault {
  return new Fault("invalid_request", { message, param });
}
