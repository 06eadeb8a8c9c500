/**
 * Ends a line: its answer is kept, its part of the hold is charged or released, and its receipt is
 * written, in one transaction and once.
 */
import type { LeasedLine, LineAnswer } from "../../batches/batch-record.ts";
import { endLineIn } from "../../batches/lines.store.ts";
import { endPassedLineIn, type PassKey } from "../../batches/passes.store.ts";
import type { Db, Tx } from "../../db/database.ts";
import { assert } from "../../kernel/assert.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { minNano, ZERO_NANO, type Nano } from "../../kernel/money.ts";
import { settlePartIn, type PartReceipt } from "../../ledger/parts.store.ts";
import { encodeReceipt, parkReceipt } from "../../usage/receipts.store.ts";
import type { SettleRequest } from "../money/settle-pipeline.ts";
import { formatBatchId } from "./batch-ids.ts";

export interface LineEnd {
  readonly requestId: Uuid;
  readonly answer: LineAnswer;
  /** Null: it never came to a run, so its part is released with the rest. */
  readonly settlement: SettleRequest | null;
}

/** `lost`: another process has the line by now, or its batch is over; nothing is charged then. */
export async function endLine(db: Db, line: LeasedLine, end: LineEnd): Promise<"ended" | "lost"> {
  return db.transaction(async (tx) => {
    const { requestId, answer, settlement } = end;
    const kept = await endLineIn(tx, line, requestId, answer, chargedFor(line, settlement));
    if (kept === "ended" && settlement !== null) await settle(tx, line, requestId, settlement);
    return kept;
  });
}

/** The same of a line that was passed to an upstream's batch. */
export async function endPassedLine(
  db: Db,
  pass: PassKey,
  line: LeasedLine,
  { requestId, answer, settlement }: LineEnd,
): Promise<"ended" | "lost"> {
  return db.transaction(async (tx) => {
    const chargedNano = chargedFor(line, settlement);
    const { lineNo } = line;
    const kept = await endPassedLineIn(tx, pass, lineNo, requestId, answer, chargedNano);
    if (kept === "ended" && settlement !== null) await settle(tx, line, requestId, settlement);
    return kept;
  });
}

function chargedFor({ quoteNano }: LeasedLine, settlement: SettleRequest | null): Nano {
  return settlement === null ? ZERO_NANO : minNano(settlement.chargeNano, quoteNano);
}

async function settle(
  tx: Tx,
  line: LeasedLine,
  requestId: Uuid,
  { chargeNano, lossNano, receipt }: SettleRequest,
): Promise<void> {
  const { accountId, batchId, quoteNano, priceVersion } = line;
  const part = { accountId, holdId: batchId, partId: requestId, amountNano: quoteNano };
  const verdict = await settlePartIn(tx, {
    ...part,
    chargeNano,
    lossNano,
    priceVersion,
    receipt: receipt === null ? null : await receiptOf(tx, line, requestId, receipt, chargeNano),
  });
  assert(verdict.kind === "settled", "a line that has not ended has its part of the hold");
}

async function receiptOf(
  tx: Tx,
  line: LeasedLine,
  requestId: Uuid,
  receipt: NonNullable<SettleRequest["receipt"]>,
  chargeNano: SettleRequest["chargeNano"],
): Promise<PartReceipt | null> {
  const detail = { ...receipt.detail, batch: formatBatchId(line.shape, line.batchId) };
  const encoded = encodeReceipt(requestId, { ...receipt, detail });
  if (encoded.row === null) {
    const chargedNano = minNano(chargeNano, line.quoteNano);
    const reason = encoded.fault ?? "";
    await parkReceipt(tx, { chargedNano, reason, receipt: encoded.detail });
    return null;
  }
  const { endpoint, modelRequested, model, state, startedAt, figures, durationMs } = receipt;
  return {
    endpoint,
    modelRequested,
    model,
    state,
    startedAt,
    detail: encoded.detail,
    inputTokens: figures.inputTokens,
    cachedTokens: figures.cachedTokens,
    outputTokens: figures.outputTokens,
    upstream: figures.upstream,
    costNano: figures.costNano,
    durationMs: Math.round(durationMs ?? 0),
  };
}
