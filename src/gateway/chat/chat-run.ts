/** One admitted chat request from its hold to its receipt: what was tried, what was delivered, and the one settlement. */
import { setTimeout as sleep } from "node:timers/promises";
import type { ChatModel } from "../../catalogue/catalogue.ts";
import { priceChat } from "../../catalogue/price.ts";
import type { Clock } from "../../kernel/clock.ts";
import { toFault } from "../../kernel/faults.ts";
import type { Nano } from "../../kernel/money.ts";
import { ZERO_NANO, minNano } from "../../kernel/money.ts";
import type { TokenUsage } from "../../kernel/token-usage.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import type { RecordEnd } from "../../idempotency/record.ts";
import type { HoldVerdict, SettleVerdict } from "../../ledger/hold-verdicts.ts";
import type { ChatRequest } from "../../protocol/chat-request.ts";
import type { UsageReading } from "../../protocol/usage-reading.ts";
import type { HoldDetail } from "../hold-detail.ts";
import { encodeHoldDetail } from "../hold-detail.ts";
import type { RatePass } from "../rate-gate.ts";
import type { SettlePipeline } from "../settle-pipeline.ts";
import type { AnswerEnd } from "./answer-end.ts";
import type { ChatCall } from "./chat-call.ts";
import type { Coverage } from "./coverage.ts";
import { createCoverage } from "./coverage.ts";
import { createDeliveredCount } from "./delivered-count.ts";
import type { ChargeSubject, Delivered, FinalCharge } from "./final-charge.ts";
import { disbelief, finalCharge, withKnownSide } from "./final-charge.ts";
import type { HoldPlan } from "./plan-hold.ts";
import { worstCaseNano } from "./plan-hold.ts";
import type { IdempotentAnswer } from "./idempotent-answer.ts";
import type { Relay } from "./relay-stream.ts";

/** How a request ended, as its receipt says it. */
export type ChatState = "completed" | "stopped_by_balance" | "interrupted" | "client_gone" | "failed";

export interface Attempt {
  readonly upstream: string;
  readonly model: string;
  /** `skipped`: passed over without a call. */
  readonly outcome: "served" | "failed" | "skipped";
  readonly status: number | null;
  readonly reason: string | null;
  readonly ms: number;
}

export interface ChatRunDeps {
  readonly clock: Clock;
  readonly ledger: Pick<SettlePipeline, "hold" | "extend" | "settle">;
  countTokens(text: string): Promise<number>;
  onSuspicion(run: ChatRun, suspicion: string): void;
}

export interface Settled {
  readonly charge: FinalCharge;
  readonly chargedNano: Nano;
  readonly lossNano: Nano;
  /** Null where the catalogue does not say what the route costs. */
  readonly upstreamCostNano: Nano | null;
}

/** The upper estimate of a prompt is rarely this many times its real count. */
const UPPER_TO_LOWER_ESTIMATE = 4;
/** Waits between two tries to settle while the database is out of reach. */
const SETTLE_RETRY_MS = 500;

export interface ChatRun {
  readonly call: ChatCall;
  readonly request: ChatRequest;
  readonly model: ChatModel;
  /** The name that the answer must give the model, where a family id was asked for; null leaves the upstream's. */
  readonly answerModel: string | null;
  readonly plan: HoldPlan;
  readonly coverage: Coverage;
  /** Null for a request without an idempotency key. */
  readonly idempotent: IdempotentAnswer | null;
  /** What it owes to its rate limits; ended with the hold. */
  readonly pass: RatePass;
  readonly attempts: Attempt[];
  /** Ends the attempt in progress at once. */
  abortCurrent: (() => void) | null;
  /** What a client that goes away does to the work in progress, by the upstream's policy. */
  onGone: (() => void) | null;
  /** Gives the place at the upstream back. */
  releasePlace: (() => void) | null;
  /** The process ends and the deadline of its drain has come. */
  cut: boolean;
  /** There is no answer: only its hold is still to be released. */
  failed: boolean;
  relay: Relay | null;
  firstContentMs: number | null;
  finishReason: string | null;
  /** The model that the upstream said it is. */
  responseModel: string | null;
  lastWriteMs: number;
  goneAtMs: number | null;
  savedFrames: number;
  savedAtMs: number;
  /** Counts what has been delivered and saves its price, in case this process dies. Throws what the ledger throws. */
  saveProgress(): Promise<void>;
  /**
   * Ends the hold, once: the first call decides, later ones get its result. Resolves when the ledger has it. `end` makes the end of an
   * answer that an idempotency key shall give again, and is asked before the charge is committed; null for what it shall not give again,
   * and then a request with a key is not charged.
   */
  settle(state: ChatState, reading: UsageReading, delivered: Delivered, end: ((usage: TokenUsage) => AnswerEnd) | null): Promise<Settled>;
}

export function createChatRun(
  deps: ChatRunDeps,
  input: {
    readonly call: ChatCall;
    readonly request: ChatRequest;
    readonly model: ChatModel;
    readonly answerModel: string | null;
    readonly plan: HoldPlan;
    readonly priceVersion: number;
    readonly hold: Extract<HoldVerdict, { kind: "held" }>;
    readonly coveredTokens: number;
    readonly idempotent: IdempotentAnswer | null;
    readonly pass: RatePass;
  },
): ChatRun {
  const { call, request, model, plan } = input;
  const subject: ChargeSubject = {
    model,
    limitTokens: plan.limitTokens,
    images: request.images,
    overheadTokens: request.overheadTokens,
    promptText: () => request.promptText(),
  };
  const delivered = createDeliveredCount(deps.countTokens);
  let promptTokens: number | null = null;
  let settled: Promise<Settled> | null = null;

  /** What may be charged if this process dies now: at most what was delivered, and never more than the hold. */
  function recordedUsage(relay: Relay | null): TokenUsage {
    if (relay === null || !relay.progress.anything) return NO_USAGE;
    const { progress } = relay;
    if (progress.usage.kind === "valid") {
      const usage = { ...progress.usage.usage, images: request.images };
      if (disbelief(usage, subject, progress.usage.samplings) === null) return usage;
    }
    const outputTokens = Math.min(progress.estimatedTokens, delivered.atLeast(progress.characters));
    const inputTokens = Math.min(promptTokens ?? Math.floor(plan.inputTokens / UPPER_TO_LOWER_ESTIMATE), plan.inputTokens);
    const counted = { ...NO_USAGE, inputTokens, outputTokens, images: request.images };
    return progress.usage.kind === "partial" ? withKnownSide(counted, progress.usage, subject) : counted;
  }

  /** Where nothing was delivered, a price per request is not owed either. */
  function priceRecorded(usage: TokenUsage): Nano {
    return usage === NO_USAGE ? ZERO_NANO : priceChat(model.price, usage);
  }

  async function countPrompt(): Promise<void> {
    promptTokens ??= (await deps.countTokens(request.promptText())) + request.overheadTokens;
  }

  const run: ChatRun = {
    call,
    request,
    model,
    answerModel: input.answerModel,
    idempotent: input.idempotent,
    pass: input.pass,
    plan,
    attempts: [],
    abortCurrent: null,
    onGone: null,
    releasePlace: null,
    cut: false,
    failed: false,
    relay: null,
    firstContentMs: null,
    finishReason: null,
    responseModel: null,
    lastWriteMs: call.startedMs,
    goneAtMs: null,
    savedFrames: 0,
    savedAtMs: call.startedMs,
    coverage: createCoverage(
      {
        extend: (extension) => deps.ledger.extend(extension),
        priceAt: (tokens) => worstCaseNano(model.price, plan, tokens),
        record() {
          const usage = recordedUsage(run.relay);
          return {
            recordedNano: minNano(priceRecorded(usage), run.coverage.heldNano),
            detail: encodeHoldDetail(holdDetail(call, request, model, input.priceVersion, usage)),
          };
        },
      },
      { holdId: call.requestId, heldNano: input.hold.heldNano, coveredTokens: input.coveredTokens, limitTokens: plan.limitTokens },
    ),

    async saveProgress() {
      const text = run.relay?.progress.text() ?? "";
      // Without an exact count the lower estimate is saved.
      await Promise.allSettled([countPrompt(), delivered.update(text)]);
      await run.coverage.save();
    },

    settle(state, reading, answer, end) {
      settled ??= settleOnce(state, reading, answer, end);
      return settled;
    },
  };

  async function settleOnce(
    state: ChatState,
    reading: UsageReading,
    answer: Delivered,
    end: ((usage: TokenUsage) => AnswerEnd) | null,
  ): Promise<Settled> {
    const charge = await priceAnswer(reading, answer);
    await coverPrice(charge.priceNano);
    const record = await endRecord(charge, end);
    const chargeNano = record?.answered === false ? ZERO_NANO : minNano(charge.priceNano, run.coverage.heldNano);
    const lossNano = (charge.priceNano - chargeNano + charge.disbelievedNano) as Nano;
    const upstreamCostNano = upstreamCost(charge.usage);
    // Whoever has the last byte of this answer may send the next request: its place is free by then.
    const [verdict] = await Promise.all([
      settleUntilDone(chargeNano, lossNano, state, charge, upstreamCostNano, record),
      run.pass.end(charge.usage),
    ]);
    if (charge.suspicion !== null) deps.onSuspicion(run, charge.suspicion);
    return { charge, chargedNano: verdict.kind === "unknown-hold" ? ZERO_NANO : verdict.chargedNano, lossNano, upstreamCostNano };
  }

  /** Keeps the answer of a request with an idempotency key; what could not be kept would be charged a second time when it is asked again. */
  async function endRecord(charge: FinalCharge, end: ((usage: TokenUsage) => AnswerEnd) | null): Promise<RecordEnd | null> {
    if (run.idempotent === null) return null;
    try {
      return await run.idempotent.end(end === null ? null : end(charge.usage));
    } catch {
      // An end that cannot be made is told where it is asked for again, when the hold has ended.
      return { ...run.idempotent.claim, answered: false };
    }
  }

  /** A hold has to end also where the answer cannot be priced: then at what would be saved of it now, and somebody is told. */
  async function priceAnswer(reading: UsageReading, answer: Delivered): Promise<FinalCharge> {
    try {
      return await finalCharge(subject, reading, answer, deps.countTokens);
    } catch (error) {
      const usage = answer.anything ? recordedUsage(run.relay) : NO_USAGE;
      const usageSource = usage === NO_USAGE ? "none" : "counted";
      const suspicion = `the answer could not be priced: ${error instanceof Error ? error.message : String(error)}`;
      return { usage, usageSource, priceNano: priceRecorded(usage), disbelievedNano: ZERO_NANO, suspicion };
    }
  }

  /** Hidden reasoning and odd tokenizers can pass the estimate: the hold is raised to the true price where the balance allows. */
  async function coverPrice(priceNano: Nano): Promise<void> {
    while (priceNano > run.coverage.heldNano) {
      try {
        await run.coverage.coverAmount(priceNano);
        return;
      } catch (error) {
        // An outage is no reason to charge less; what else goes wrong must not keep the hold from its end.
        if (toFault(error).code !== "overloaded") return;
        await sleep(SETTLE_RETRY_MS);
      }
    }
  }

  async function settleUntilDone(
    chargeNano: Nano,
    lossNano: Nano,
    state: ChatState,
    charge: FinalCharge,
    upstreamCostNano: Nano | null,
    record: RecordEnd | null,
  ): Promise<SettleVerdict> {
    const receipt = {
      requestId: call.requestId,
      accountId: call.key.accountId,
      keyId: call.key.keyId,
      endpoint: call.dialect.endpoint,
      modelRequested: request.model,
      model: model.id,
      state,
      startedAt: call.startedAt,
      chargedNano: chargeNano,
      detail: {
        stream: request.stream,
        priceVersion: input.priceVersion,
        usage: charge.usage,
        usageSource: charge.usageSource,
        heldNano: run.coverage.heldNano.toString(),
        lossNano: lossNano.toString(),
        upstreamCostNano: upstreamCostNano === null ? null : upstreamCostNano.toString(),
        attempts: run.attempts,
        durationMs: Math.round(deps.clock.monotonicMs() - call.startedMs),
        firstContentMs: run.firstContentMs === null ? null : Math.round(run.firstContentMs - call.startedMs),
        finishReason: state === "stopped_by_balance" ? "length" : run.finishReason,
        suspicion: charge.suspicion,
      },
    };
    for (;;) {
      try {
        return await deps.ledger.settle({ holdId: call.requestId, chargeNano, lossNano, receipt, ...(record === null ? {} : { record }) });
      } catch {
        // The hold stays as it is and the money with it; whoever is waiting for the last byte waits on.
        await sleep(SETTLE_RETRY_MS);
      }
    }
  }

  /** What the route that served costs the operator, or null where the catalogue does not say. */
  function upstreamCost(usage: TokenUsage): Nano | null {
    const served = run.attempts.findLast((attempt) => attempt.outcome === "served");
    if (served === undefined) return null;
    const route = model.routes.find((candidate) => candidate.upstream === served.upstream && candidate.model === served.model);
    return route === undefined || route.cost === null ? null : priceChat(route.cost, usage);
  }

  return run;
}

/** What recovery needs to write the receipt of a request whose process died. */
export function holdDetail(call: ChatCall, request: ChatRequest, model: ChatModel, priceVersion: number, usage: TokenUsage): HoldDetail {
  return {
    accountId: call.key.accountId,
    keyId: call.key.keyId,
    endpoint: call.dialect.endpoint,
    modelRequested: request.model,
    model: model.id,
    stream: request.stream,
    startedAt: call.startedAt.toISOString(),
    priceVersion,
    usage,
    usageSource: usage === NO_USAGE ? "none" : "counted",
    ...(call.idempotencyKey === null ? {} : { idempotent: true }),
  };
}
