/**
 * The one settlement of a chat request: its hold is ended with its charge and its receipt, once.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { RecordEnd } from "../../idempotency/record.ts";
import { backoffMs } from "../../kernel/backoff.ts";
import { toFault } from "../../kernel/faults.ts";
import type { Nano } from "../../kernel/money.ts";
import { formatRoubles, ZERO_NANO } from "../../kernel/money.ts";
import type { SettleVerdict } from "../../ledger/hold-verdicts.ts";
import { DATABASE_BACKOFF } from "../database-backoff.ts";
import type { SettleRequest } from "../money/settle-pipeline.ts";
import { figuresOf, priceAnswer, type Figures } from "./price-answer.ts";
import { cacheOwnerOf } from "./charge-subject.ts";
import type { ChatOutcome } from "./chat-outcome.ts";
import type { ChatRun } from "./chat-run.ts";
import type { FinalCharge } from "./final-charge.ts";
import { heldNanoOf, rollingHoldOf } from "./hold-of-run.ts";
import type { IdempotentAnswer } from "./idempotent-answer.ts";
import { receiptOf } from "./receipt-of-run.ts";
import type { Answering, Settled } from "./run-phase.ts";

/**
 * Hears that a charge is on its way to the ledger: what it will be, unless the ledger decides
 * otherwise.
 */
export type OnCharging = (charge: FinalCharge, chargeNano: Nano) => void;

/**
 * Ends the hold, once: the first call decides, later ones get its result. Resolves when the ledger
 * has it. `onCharging` throws nothing.
 */
export function settleRun(
  run: ChatRun,
  outcome: ChatOutcome,
  onCharging?: OnCharging,
): Promise<Settled> {
  const { phase } = run;
  if (phase.kind === "settling") return phase.settled;
  if (phase.kind === "ended") return Promise.resolve(phase.settled);
  const answer = phase.kind === "answering" ? phase : null;
  const settled = settleOnce(run, answer, outcome, onCharging);
  run.phase = { kind: "settling", answer, settled, wait: null };
  return settled;
}

/** A charge that is decided, and what the ledger is told of it. */
interface Decided {
  readonly charge: FinalCharge;
  readonly figures: Figures;
  readonly request: SettleRequest;
}

function settleOnce(
  run: ChatRun,
  answer: Answering | null,
  outcome: ChatOutcome,
  onCharging: OnCharging | undefined,
): Promise<Settled> {
  try {
    const deciding = decide(run, answer, outcome);
    return deciding instanceof Promise
      ? deciding.then((decided) => settle(run, answer, outcome, decided, onCharging))
      : settle(run, answer, outcome, deciding, onCharging);
  } catch (error) {
    return Promise.reject(toFault(error));
  }
}

function settle(
  run: ChatRun,
  answer: Answering | null,
  outcome: ChatOutcome,
  decided: Decided,
  onCharging: OnCharging | undefined,
): Promise<Settled> {
  // A caller that has the last byte of this answer may send its next request: the place is free by
  // then.
  const freed = run.admission.pass.end(decided.charge.usage);
  const settling = askLedger(run, decided, onCharging).then(
    (verdict) => ended(run, answer, outcome, decided, verdict),
    () => settleAgain(run, answer, outcome, decided),
  );
  return freed === null ? settling : Promise.all([settling, freed]).then(([settled]) => settled);
}

/** What throws at once is asked again like what fails later. */
function askLedger(
  run: ChatRun,
  { request, charge, figures }: Decided,
  onCharging: OnCharging | undefined,
): Promise<SettleVerdict> {
  try {
    if (onCharging === undefined) return run.deps.ledger.settle(request);
    const sent = (): void => onCharging(charge, figures.chargeNano);
    return run.deps.ledger.settle({ ...request, sent });
  } catch (error) {
    return Promise.reject(toFault(error));
  }
}

/** The hold stays as it is and the money with it; the caller that waits for the last byte waits on. */
async function settleAgain(
  run: ChatRun,
  answer: Answering | null,
  outcome: ChatOutcome,
  decided: Decided,
): Promise<Settled> {
  let verdict: SettleVerdict | null = null;
  for (let failed = 0; verdict === null; failed++) {
    await sleep(backoffMs(failed, DATABASE_BACKOFF, Math.random));
    try {
      verdict = await run.deps.ledger.settle(decided.request);
    } catch {
      // It is asked again.
    }
  }
  return ended(run, answer, outcome, decided, verdict);
}

function ended(
  run: ChatRun,
  answer: Answering | null,
  outcome: ChatOutcome,
  { charge, figures }: Decided,
  verdict: SettleVerdict,
): Settled {
  reportSuspicions(run, charge, figures);
  rememberCaches(run, answer, charge);
  run.deps.sampleCounts?.(run, charge, outcome.delivered);
  const settled = settledOf(charge, figures, verdict);
  run.phase = { kind: "ended", answer, settled };
  return settled;
}

/** At once where nothing has to be counted, raised or kept first. */
function decide(
  run: ChatRun,
  answer: Answering | null,
  outcome: ChatOutcome,
): Decided | Promise<Decided> {
  const priced = priceAnswer(run, answer, outcome);
  if (
    priced instanceof Promise ||
    run.admission.idempotent !== null ||
    outcome.keep !== null ||
    priced.priceNano > heldNanoOf(run)
  )
    return decideLater(run, answer, outcome, priced);
  return decidedOf(run, answer, outcome, priced, null);
}

async function decideLater(
  run: ChatRun,
  answer: Answering | null,
  outcome: ChatOutcome,
  priced: FinalCharge | Promise<FinalCharge>,
): Promise<Decided> {
  const charge = await priced;
  if (charge.priceNano > heldNanoOf(run)) await coverPrice(run, charge.priceNano);
  // An end that cannot be made is told where it is asked for again, when the hold has ended.
  await outcome.keep?.(charge.usage).catch(() => undefined);
  const { idempotent } = run.admission;
  const record = idempotent === null ? null : await endRecord(idempotent, charge, outcome);
  return decidedOf(run, answer, outcome, charge, record);
}

function decidedOf(
  run: ChatRun,
  answer: Answering | null,
  { state }: ChatOutcome,
  charge: FinalCharge,
  record: RecordEnd | null,
): Decided {
  const figures = figuresOf(run, answer, charge, record?.answered !== false);
  const { chargeNano, lossNano } = figures;
  const receipt = receiptOf(run, answer, state, charge, figures);
  const { key, requestId: holdId } = run.call;
  const settlement = { accountId: key.accountId, holdId, chargeNano, lossNano, receipt };
  return { charge, figures, request: record === null ? settlement : { ...settlement, record } };
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

function dearer(costNano: Nano, chargeNano: Nano): string {
  return `the upstream says that it takes ${formatRoubles(costNano)} RUB, which is more than the charge, ${formatRoubles(chargeNano)} RUB`;
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
    catalogue.upstreams.get(answer.route.upstream)?.protocol === "anthropic"
  )
    return;
  run.deps.caches.remember(cacheOwnerOf(run, answer.route), usage, () => request.promptBlocks());
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
