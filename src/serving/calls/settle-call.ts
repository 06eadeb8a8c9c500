/**
 * The one settlement of a call: its hold is ended with its charge and its receipt, and resolves when
 * the ledger has it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { costOfCall } from "../../contract/price/price-call.ts";
import type { RecordEnd } from "../../idempotency/record.ts";
import { backoffMs } from "../../kernel/backoff.ts";
import type { Clock } from "../../kernel/clock.ts";
import { toFault } from "../../kernel/faults.ts";
import { minNano, nano, ZERO_NANO, type Nano } from "../../kernel/money.ts";
import type { SettleVerdict } from "../../ledger/hold-verdicts.ts";
import { countsToKeep, receiptFigures } from "../../usage/receipt-figures.ts";
import type { ReceiptRow } from "../../usage/receipt-row.ts";
import type { AnswerEnd } from "../chat/answer-end.ts";
import type { CountTexts } from "../chat/refuse-too-long.ts";
import { DATABASE_BACKOFF } from "../database-backoff.ts";
import type { SettlePipeline, SettleRequest } from "../money/settle-pipeline.ts";
import { callDetail } from "./admit-call.ts";
import { released, type CallOutcome } from "./call-outcome.ts";
import type { CallRun } from "./call-run.ts";
import { chargeCall, UNCHARGED, type CallCharge } from "./charge-call.ts";

export interface CallSettleDeps {
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly ledger: Pick<SettlePipeline, "extend" | "settle">;
  readonly countTexts: CountTexts;
}

export interface SettledCall {
  /** As it was settled: another one where the end of the answer could not be made. */
  readonly outcome: CallOutcome;
  readonly charge: CallCharge;
  readonly chargedNano: Nano;
  /** Another process took this one for dead and ended the hold, for less than the answer costs. */
  readonly takenAway: boolean;
  readonly lossNano: Nano;
  /** Null where the catalogue does not say what the route costs. */
  readonly upstreamCostNano: Nano | null;
  /** What its caller gets last; null: nothing. */
  readonly end: AnswerEnd | null;
}

export async function settleCall(
  deps: CallSettleDeps,
  run: CallRun,
  outcome: CallOutcome,
): Promise<SettledCall> {
  const charge = await priced(deps, run, outcome);
  let end: AnswerEnd | null;
  try {
    end = outcome.end?.(charge.usage.tokens) ?? null;
  } catch (error) {
    return settleCall(deps, run, released("failed", toFault(error)));
  }
  if (charge.priceNano > run.heldNano) await coverPrice(deps, run, charge.priceNano);
  const record = await endRecord(run, outcome, end);
  const owed = record?.answered === false ? ZERO_NANO : charge.priceNano;
  const chargeNano = minNano(owed, run.heldNano);
  const lossNano = nano(charge.priceNano - chargeNano + charge.disbelievedNano);
  const upstreamCostNano =
    charge === UNCHARGED ? null : costOfCall(run.served?.route.cost ?? null, charge.usage);
  // A caller that has the last byte may send its next request: the place is free by then.
  const freed = run.pass.end(charge.usage.tokens);
  const verdict = await untilSettled(deps.ledger, {
    accountId: run.call.key.accountId,
    holdId: run.call.requestId,
    chargeNano,
    lossNano,
    receipt: receiptOf(deps, run, outcome, charge, upstreamCostNano),
    ...(record === null ? {} : { record }),
  });
  await freed;
  const chargedNano = verdict.kind === "unknown-hold" ? ZERO_NANO : verdict.chargedNano;
  const takenAway = verdict.kind !== "settled" && chargedNano < chargeNano;
  return {
    outcome,
    charge,
    chargedNano,
    takenAway,
    lossNano,
    upstreamCostNano,
    end,
  };
}

/** A hold has to end also where the answer cannot be priced: then for nothing, and it is reported. */
async function priced(
  { countTexts }: CallSettleDeps,
  { model, asked, measure }: CallRun,
  { usage, delivered }: CallOutcome,
): Promise<CallCharge> {
  try {
    return await chargeCall({ price: model.price, asked, measure }, usage, delivered, countTexts);
  } catch (error) {
    const reason = `the answer could not be priced: ${error instanceof Error ? error.message : String(error)}`;
    return { ...UNCHARGED, suspicion: { reason } };
  }
}

/** An upstream may count more than was held for; what cannot be covered is the operator's. */
async function coverPrice(
  { ledger }: CallSettleDeps,
  run: CallRun,
  priceNano: Nano,
): Promise<void> {
  try {
    const verdict = await ledger.extend({
      holdId: run.call.requestId,
      addNano: nano(priceNano - run.heldNano),
      recordedNano: ZERO_NANO,
      detail: callDetail(run.call, run),
    });
    if (verdict.kind === "extended") run.heldNano = verdict.heldNano;
  } catch {
    // What goes wrong must not keep the hold from its end.
  }
}

/**
 * Keeps the answer of a request with an idempotency key; what could not be kept would be charged a
 * second time when it is asked again.
 */
async function endRecord(
  { idempotent }: CallRun,
  { kept }: CallOutcome,
  end: AnswerEnd | null,
): Promise<RecordEnd | null> {
  if (idempotent === null) return null;
  try {
    return await idempotent.end(kept ? end : null);
  } catch {
    return { ...idempotent.claim, answered: false };
  }
}

/** The hold stays as it is and the money with it while the ledger is out of reach. */
async function untilSettled(
  ledger: Pick<SettlePipeline, "settle">,
  request: SettleRequest,
): Promise<SettleVerdict> {
  for (let failed = 0; ; failed++) {
    try {
      return await ledger.settle(request);
    } catch {
      await sleep(backoffMs(failed, DATABASE_BACKOFF, Math.random));
    }
  }
}

/** Figures and names, never content. */
function receiptOf(
  { clock }: CallSettleDeps,
  run: CallRun,
  { state, finishReason }: CallOutcome,
  { usage, usageSource, suspicion }: CallCharge,
  upstreamCostNano: Nano | null,
): ReceiptRow {
  const { call, asked, model, modelRequested, served, firstContentMs } = run;
  const { counts } = usage;
  return {
    endpoint: call.dialect.protocol.endpoint,
    modelRequested,
    model: model.id,
    state,
    startedAt: call.startedAt,
    durationMs: clock.monotonicMs() - call.startedMs,
    firstMs: firstContentMs === null ? null : firstContentMs - call.startedMs,
    figures: receiptFigures(usage.tokens, served?.route.upstream ?? null, upstreamCostNano),
    detail: {
      ...(asked.stream ? { stream: true } : {}),
      usage: countsToKeep(usage.tokens),
      ...(Object.keys(counts).length === 0 ? {} : { counts }),
      usageSource,
      attempts: run.attempts,
      ...(finishReason === null ? {} : { finishReason }),
      ...(suspicion === null ? {} : { suspicion: suspicion.reason }),
      ...(suspicion?.coded === undefined ? {} : { suspicionCoded: suspicion.coded }),
      ...(served?.route.costLacks === undefined ? {} : { costLacks: served.route.costLacks }),
    },
  };
}
