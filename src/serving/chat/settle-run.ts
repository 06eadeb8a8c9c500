/** The one settlement of a chat request: its price, the end of its hold, its receipt. */
import { setTimeout as sleep } from "node:timers/promises";
import type { ChatState } from "../../contract/enums/chat-state.ts";
import { costOfChat } from "../../contract/price/cost-of-chat.ts";
import type { ResolvedUse } from "../../contract/price/resolve-use.ts";
import type { RecordEnd } from "../../idempotency/record.ts";
import { isDiskFull } from "../../db/database-errors.ts";
import { backoffMs } from "../../kernel/backoff.ts";
import { toFault } from "../../kernel/faults.ts";
import type { Nano } from "../../kernel/money.ts";
import { formatRoubles, minNano, ZERO_NANO } from "../../kernel/money.ts";
import type { TokenUsage } from "../../kernel/token-usage.ts";
import type { SettleVerdict } from "../../ledger/hold-verdicts.ts";
import type { UsageReading } from "../../protocol/usage-reading.ts";
import { receiptFigures } from "../../usage/receipt-figures.ts";
import type { ReceiptRow } from "../../usage/receipt-row.ts";
import type { SettleRequest } from "../money/settlement.store.ts";
import { DATABASE_BACKOFF } from "../database-backoff.ts";
import type { AnswerEnd } from "./answer-end.ts";
import type { ChatRun, Settled } from "./chat-run.ts";
import {
  cacheOwnerOf,
  rollingHoldOf,
  heldNanoOf,
  NOTHING_RECORDED,
  priceRecorded,
  recordedUsage,
  subjectOf,
} from "./money-of-run.ts";
import { countFactorPart } from "./count-factor.ts";
import type { Delivered, FinalCharge } from "./final-charge.ts";
import { finalCharge } from "./final-charge.ts";
import { chargedParts } from "../money/charged-parts.ts";
import { toldCost } from "./reported-cost.ts";
import { usedOf } from "./used-of-run.ts";
import type { IdempotentAnswer } from "./idempotent-answer.ts";

/**
 * Ends the hold, once: the first call decides, later ones get its result. Resolves when the ledger
 * has it. `end` makes the end of an answer that an idempotency key shall give again, and is asked
 * before the charge is committed; null for what it shall not give again, and then a request with a
 * key is not charged.
 */
export function settleRun(
  run: ChatRun,
  state: ChatState,
  reading: UsageReading,
  delivered: Delivered,
  end: ((usage: TokenUsage) => AnswerEnd) | null,
): Promise<Settled> {
  run.settling ??= settleOnce(run, state, reading, delivered, end);
  return run.settling;
}

async function settleOnce(
  run: ChatRun,
  state: ChatState,
  reading: UsageReading,
  delivered: Delivered,
  end: ((usage: TokenUsage) => AnswerEnd) | null,
): Promise<Settled> {
  const priced = priceAnswer(run, reading, delivered);
  const charge = priced instanceof Promise ? await priced : priced;
  if (charge.priceNano > heldNanoOf(run)) await coverPrice(run, charge.priceNano);
  const record = run.idempotent === null ? null : await endRecord(run, run.idempotent, charge, end);
  const chargeNano =
    record?.answered === false ? ZERO_NANO : minNano(charge.priceNano, heldNanoOf(run));
  const lossNano = (charge.priceNano - chargeNano + charge.disbelievedNano) as Nano;
  // What the route that served costs the operator.
  const use = usedOf(run);
  const told = toldCostOf(run);
  const upstreamCostNano =
    told ?? costOfChat(run.model, run.served?.cost ?? null, charge.usage, use.done);
  const receipt = receiptOf(run, state, charge, chargeNano, lossNano, upstreamCostNano, use);
  const settlement: SettleRequest = { holdId: run.call.requestId, chargeNano, lossNano, receipt };
  const request = record === null ? settlement : { ...settlement, record };
  // A caller that has the last byte of this answer may send its next request: the place is free by
  // then.
  const freed = run.pass.end(charge.usage);
  let verdict: SettleVerdict | null = null;
  for (let failed = 0; verdict === null; failed++) {
    try {
      verdict = await run.deps.ledger.settle(request);
    } catch {
      // The hold stays as it is and the money with it; the caller that waits for the last byte
      // waits on.
      await sleep(backoffMs(failed, DATABASE_BACKOFF, Math.random));
    }
  }
  if (freed !== null) await freed;
  if (charge.suspicion !== null) run.deps.onSuspicion(run, charge.suspicion);
  if (told !== null && told > chargeNano) run.deps.onSuspicion(run, dearer(told, chargeNano));
  const chargedNano = verdict.kind === "unknown-hold" ? ZERO_NANO : verdict.chargedNano;
  const takenAway = verdict.kind !== "settled" && chargedNano < chargeNano;
  rememberCaches(run, charge);
  run.deps.sampleCounts?.(run, charge, delivered);
  run.settled = { charge, chargedNano, takenAway, lossNano, upstreamCostNano };
  return run.settled;
}

/** What the upstream itself says of its cost, where the catalogue says what its unit is worth. */
function toldCostOf({ said, served, catalogue }: ChatRun): Nano | null {
  const costText = said?.used.costText ?? null;
  if (costText === null || served === null) return null;
  const factor = catalogue.upstreams.get(served.upstream)?.toldCost;
  return factor === undefined ? null : toldCost(costText, factor);
}

function dearer(told: Nano, chargeNano: Nano): string {
  return `the upstream says that it takes ${formatRoubles(told)} RUB, which is more than the charge, ${formatRoubles(chargeNano)} RUB`;
}

/** For what is broken off next. Upstreams of the Messages protocol tell the prompt at once. */
function rememberCaches(run: ChatRun, { usage, usageSource }: FinalCharge): void {
  const { served, catalogue, request } = run;
  if (
    usageSource !== "upstream" ||
    served === null ||
    catalogue.upstreams.get(served.upstream)?.protocol !== "openai"
  )
    return;
  run.deps.caches.remember(cacheOwnerOf(run, served), usage, () => request.promptBlocks());
}

/**
 * A hold has to end also where the answer cannot be priced: then at what would be saved of it now,
 * and the suspicion is reported.
 */
function priceAnswer(
  run: ChatRun,
  reading: UsageReading,
  delivered: Delivered,
): FinalCharge | Promise<FinalCharge> {
  try {
    const priced = finalCharge(subjectOf(run), reading, delivered, run.deps.countTokens);
    return priced instanceof Promise
      ? priced.catch((error: unknown) => unpricedCharge(run, delivered, error))
      : priced;
  } catch (error) {
    return unpricedCharge(run, delivered, error);
  }
}

function unpricedCharge(run: ChatRun, delivered: Delivered, error: unknown): FinalCharge {
  const { usage, usageSource } = delivered.anything ? recordedUsage(run) : NOTHING_RECORDED;
  const suspicion = `the answer could not be priced: ${error instanceof Error ? error.message : String(error)}`;
  return {
    usage,
    usageSource,
    priceNano: priceRecorded(run, usage),
    disbelievedNano: ZERO_NANO,
    suspicion,
  };
}

/**
 * Hidden reasoning and odd tokenizers can pass the estimate: the hold is raised to the true price
 * where the balance allows.
 */
async function coverPrice(run: ChatRun, priceNano: Nano): Promise<void> {
  const rollingHold = rollingHoldOf(run);
  for (let failed = 0; priceNano > rollingHold.heldNano; failed++) {
    try {
      await rollingHold.coverAmount(priceNano);
      return;
    } catch (error) {
      // An outage is no reason to charge less; what else goes wrong must not keep the hold from its
      // end.
      if (toFault(error).code !== "overloaded") return;
      await sleep(backoffMs(failed, DATABASE_BACKOFF, Math.random));
    }
  }
}

/**
 * Keeps the answer of a request with an idempotency key; what could not be kept would be charged a
 * second time when it is asked again.
 */
async function endRecord(
  run: ChatRun,
  idempotent: IdempotentAnswer,
  charge: FinalCharge,
  end: ((usage: TokenUsage) => AnswerEnd) | null,
): Promise<RecordEnd> {
  try {
    return await idempotent.end(end === null ? null : end(charge.usage));
  } catch (error) {
    // An end that cannot be made is told where it is asked for again, when the hold has ended.
    if (isDiskFull(error)) run.unkept = toFault(error);
    return { ...idempotent.claim, answered: false };
  }
}

function receiptOf(
  run: ChatRun,
  state: ChatState,
  charge: FinalCharge,
  chargeNano: Nano,
  lossNano: Nano,
  upstreamCostNano: Nano | null,
  use: ResolvedUse,
): ReceiptRow {
  const { call, request } = run;
  return {
    requestId: call.requestId,
    accountId: call.key.accountId,
    keyId: call.key.keyId,
    endpoint: call.dialect.endpoint,
    modelRequested: request.model,
    model: run.model.id,
    state,
    startedAt: call.startedAt,
    chargedNano: chargeNano,
    figures: receiptFigures(charge.usage, run.served?.upstream ?? null, upstreamCostNano, lossNano),
    detail: {
      stream: request.stream,
      priceVersion: run.priceVersion,
      usage: charge.usage,
      usageSource: charge.usageSource,
      ...countFactorPart(run.served, charge.usageSource),
      ...chargedParts(run.model, charge.usage, use),
      heldNano: heldNanoOf(run).toString(),
      ...(run.raises === null
        ? {}
        : { firstHeldNano: run.hold.heldNano.toString(), raises: run.raises }),
      lossNano: lossNano.toString(),
      upstreamCostNano: upstreamCostNano === null ? null : upstreamCostNano.toString(),
      attempts: run.attempts,
      durationMs: Math.round(run.deps.clock.monotonicMs() - call.startedMs),
      firstContentMs:
        run.firstContentMs === null ? null : Math.round(run.firstContentMs - call.startedMs),
      finishReason: state === "stopped_by_balance" ? "length" : run.finishReason,
      suspicion: charge.suspicion,
      ...(charge.note === undefined ? {} : { usageNote: charge.note }),
    },
  };
}
