/** The one settlement of a chat request: its price, the end of its hold, its receipt. */
import { setTimeout as sleep } from "node:timers/promises";
import type { ChatState } from "../../contract/enums/chat-state.ts";
import { costOfChat } from "../../contract/price/cost-of-chat.ts";
import type { ResolvedUse } from "../../contract/price/resolve-use.ts";
import type { RecordEnd } from "../../idempotency/record.ts";
import { backoffMs } from "../../kernel/backoff.ts";
import { toFault } from "../../kernel/faults.ts";
import type { Nano } from "../../kernel/money.ts";
import { formatRoubles, minNano, ZERO_NANO } from "../../kernel/money.ts";
import type { SettleVerdict } from "../../ledger/hold-verdicts.ts";
import { receiptFigures } from "../../usage/receipt-figures.ts";
import type { ReceiptRow } from "../../usage/receipt-row.ts";
import type { SettleRequest } from "../money/settlement.store.ts";
import { DATABASE_BACKOFF } from "../database-backoff.ts";
import { cacheOwnerOf, subjectOf } from "./charge-subject.ts";
import type { ChatOutcome } from "./chat-outcome.ts";
import type { ChatRun } from "./chat-run.ts";
import { countFactorPart } from "./count-factor.ts";
import type { FinalCharge } from "./final-charge.ts";
import { finalCharge } from "./final-charge.ts";
import { heldNanoOf, heldParts, rollingHoldOf } from "./hold-of-run.ts";
import type { IdempotentAnswer } from "./idempotent-answer.ts";
import { priceRecorded, recordedUsage } from "./recorded-usage.ts";
import { toldCost } from "./reported-cost.ts";
import type { Answering, Settled } from "./run-phase.ts";
import { usedOf } from "./used-of-run.ts";
import { chargedParts } from "../money/charged-parts.ts";

/**
 * Ends the hold, once: the first call decides, later ones get its result. Resolves when the ledger
 * has it.
 */
export function settleRun(run: ChatRun, outcome: ChatOutcome): Promise<Settled> {
  const { phase } = run;
  if (phase.kind === "settling") return phase.settled;
  if (phase.kind === "ended") return Promise.resolve(phase.settled);
  const answer = phase.kind === "answering" ? phase : null;
  const settled = settleOnce(run, answer, outcome);
  run.phase = { kind: "settling", answer, settled, wait: null };
  return settled;
}

async function settleOnce(
  run: ChatRun,
  answer: Answering | null,
  outcome: ChatOutcome,
): Promise<Settled> {
  const priced = priceAnswer(run, answer, outcome);
  const charge = priced instanceof Promise ? await priced : priced;
  if (charge.priceNano > heldNanoOf(run)) await coverPrice(run, charge.priceNano);
  const { idempotent, pass } = run.admission;
  const record = idempotent === null ? null : await endRecord(idempotent, charge, outcome);
  const figures = figuresOf(run, answer, charge, record?.answered !== false);
  const request = settlementOf(run, answer, outcome.state, { charge, figures, record });
  // A caller that has the last byte of this answer may send its next request: the place is free by
  // then.
  const freed = pass.end(charge.usage);
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
  reportSuspicions(run, charge, figures);
  rememberCaches(run, answer, charge);
  run.deps.sampleCounts?.(run, charge, outcome.delivered);
  const settled = settledOf(charge, figures, verdict);
  run.phase = { kind: "ended", answer, settled };
  return settled;
}

/** What of the price is charged, and what the answer costs the operator. */
interface Figures {
  readonly chargeNano: Nano;
  readonly lossNano: Nano;
  readonly upstreamCostNano: Nano | null;
  /** In the upstream's own words; null where it says nothing. */
  readonly reportedNano: Nano | null;
  readonly use: ResolvedUse;
}

/** `owed`: false for an answer that its caller will ask for again, and pay for then. */
function figuresOf(
  run: ChatRun,
  answer: Answering | null,
  { usage, priceNano, disbelievedNano }: FinalCharge,
  owed: boolean,
): Figures {
  const chargeNano = owed ? minNano(priceNano, heldNanoOf(run)) : ZERO_NANO;
  const use = usedOf(run, answer);
  const reportedNano = reportedCostOf(run, answer);
  return {
    chargeNano,
    lossNano: (priceNano - chargeNano + disbelievedNano) as Nano,
    upstreamCostNano:
      reportedNano ?? costOfChat(run.model, answer?.route.cost ?? null, usage, use.done),
    reportedNano,
    use,
  };
}

function settledOf(
  charge: FinalCharge,
  { chargeNano, lossNano, upstreamCostNano }: Figures,
  verdict: SettleVerdict,
): Settled {
  const chargedNano = verdict.kind === "unknown-hold" ? ZERO_NANO : verdict.chargedNano;
  const takenAway = verdict.kind !== "settled" && chargedNano < chargeNano;
  return { charge, chargedNano, takenAway, lossNano, upstreamCostNano };
}

function reportSuspicions(
  run: ChatRun,
  { suspicion }: FinalCharge,
  { reportedNano, chargeNano }: Figures,
): void {
  if (suspicion !== null) run.deps.onSuspicion(run, suspicion);
  if (reportedNano !== null && reportedNano > chargeNano)
    run.deps.onSuspicion(run, dearer(reportedNano, chargeNano));
}

/** What the upstream itself says of its cost, where the catalogue says what its unit is worth. */
function reportedCostOf({ catalogue }: ChatRun, answer: Answering | null): Nano | null {
  const costText = answer?.reported.used.costText ?? null;
  if (costText === null || answer === null) return null;
  const factor = catalogue.upstreams.get(answer.route.upstream)?.toldCost;
  return factor === undefined ? null : toldCost(costText, factor);
}

function dearer(told: Nano, chargeNano: Nano): string {
  return `the upstream says that it takes ${formatRoubles(told)} RUB, which is more than the charge, ${formatRoubles(chargeNano)} RUB`;
}

/** For what is broken off next. Upstreams of the Messages protocol tell the prompt at once. */
function rememberCaches(
  run: ChatRun,
  answer: Answering | null,
  { usage, usageSource }: FinalCharge,
): void {
  const { catalogue, request } = run;
  if (
    usageSource !== "upstream" ||
    answer === null ||
    catalogue.upstreams.get(answer.route.upstream)?.protocol !== "openai"
  )
    return;
  run.deps.caches.remember(cacheOwnerOf(run, answer.route), usage, () => request.promptBlocks());
}

/**
 * A hold has to end also where the answer cannot be priced: then at what would be saved of it now,
 * and the suspicion is reported.
 */
function priceAnswer(
  run: ChatRun,
  answer: Answering | null,
  { usage, delivered }: ChatOutcome,
): FinalCharge | Promise<FinalCharge> {
  const recorded = delivered.anything ? answer : null;
  try {
    const priced = finalCharge(subjectOf(run, answer), usage, delivered, run.deps.countTokens);
    return priced instanceof Promise
      ? priced.catch((error: unknown) => unpricedCharge(run, recorded, error))
      : priced;
  } catch (error) {
    return unpricedCharge(run, recorded, error);
  }
}

/** `answer`: null where nothing of it was delivered. */
function unpricedCharge(run: ChatRun, answer: Answering | null, error: unknown): FinalCharge {
  const { usage, usageSource } = recordedUsage(run, answer);
  const suspicion = `the answer could not be priced: ${error instanceof Error ? error.message : String(error)}`;
  return {
    usage,
    usageSource,
    priceNano: priceRecorded(run, answer, usage),
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
  idempotent: IdempotentAnswer,
  { usage }: FinalCharge,
  { end, kept }: ChatOutcome,
): Promise<RecordEnd> {
  try {
    return await idempotent.end(end === null || !kept ? null : end(usage));
  } catch {
    // An end that cannot be made is told where it is asked for again, when the hold has ended.
    return { ...idempotent.claim, answered: false };
  }
}

function settlementOf(
  run: ChatRun,
  answer: Answering | null,
  state: ChatState,
  {
    charge,
    figures,
    record,
  }: {
    readonly charge: FinalCharge;
    readonly figures: Figures;
    readonly record: RecordEnd | null;
  },
): SettleRequest {
  const { chargeNano, lossNano } = figures;
  const receipt = receiptOf(run, answer, state, charge, figures);
  const settlement = { holdId: run.call.requestId, chargeNano, lossNano, receipt };
  return record === null ? settlement : { ...settlement, record };
}

function receiptOf(
  run: ChatRun,
  answer: Answering | null,
  state: ChatState,
  charge: FinalCharge,
  { chargeNano, lossNano, upstreamCostNano, use }: Figures,
): ReceiptRow {
  const { call, request } = run;
  const firstContentMs = answer?.delivery.firstContentMs ?? null;
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
    figures: receiptFigures(
      charge.usage,
      answer?.route.upstream ?? null,
      upstreamCostNano,
      lossNano,
    ),
    detail: {
      stream: request.stream,
      priceVersion: run.priceVersion,
      usage: charge.usage,
      usageSource: charge.usageSource,
      ...countFactorPart(answer?.route ?? null, charge.usageSource),
      ...chargedParts(run.model, charge.usage, use),
      ...heldParts(run),
      lossNano: lossNano.toString(),
      upstreamCostNano: upstreamCostNano === null ? null : upstreamCostNano.toString(),
      attempts: run.attempts,
      durationMs: Math.round(run.deps.clock.monotonicMs() - call.startedMs),
      firstContentMs: firstContentMs === null ? null : Math.round(firstContentMs - call.startedMs),
      finishReason:
        state === "stopped_by_balance" ? "length" : (answer?.reported.finishReason ?? null),
      suspicion: charge.suspicion,
      ...(charge.note === undefined ? {} : { usageNote: charge.note }),
    },
  };
}
