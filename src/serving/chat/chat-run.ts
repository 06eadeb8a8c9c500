/**
 * One admitted chat request from its hold to its receipt: what was tried, what was delivered, what
 * of it is saved while it runs.
 */
import type { Catalogue, ChatModel, DisconnectPolicy, Route } from "../../catalogue/catalogue.ts";
import type { AskedRaises } from "../../contract/price/asked-raises.ts";
import type { Slotted } from "../../kernel/slot-list.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Fault } from "../../kernel/faults.ts";
import type { Nano } from "../../kernel/money.ts";
import type { UsedRaises } from "../../kernel/price-raises.ts";
import type { HoldVerdict } from "../../ledger/hold-verdicts.ts";
import type { ChatRequest } from "../../protocol/chat-request.ts";
import type { RatePass } from "../admission/rate-gate.ts";
import type { SettlePipeline } from "../money/settle-pipeline.ts";
import type { ChatCall } from "./chat-call.ts";
import type { RollingHold } from "../money/rolling-hold.ts";
import type { DeliveredCount } from "./delivered-count.ts";
import type { Delivered, FinalCharge } from "./final-charge.ts";
import type { HoldPlan } from "./plan-hold.ts";
import type { IdempotentAnswer } from "./idempotent-answer.ts";
import type { CountTexts } from "./refuse-too-long.ts";
import type { Relay } from "./relay-stream.ts";
import type { ReportedCaches } from "./reported-caches.ts";
import type { Permit } from "../routing/concurrency-limiter.ts";

export interface Attempt {
  readonly upstream: string;
  readonly model: string;
  /** `skipped`: passed over without a call. */
  readonly outcome: "served" | "failed" | "skipped";
  readonly status: number | null;
  /** Why it failed; of the one that served, why its answer broke off. */
  readonly reason: string | null;
  readonly ms: number;
}

export interface ChatRunDeps {
  readonly clock: Clock;
  readonly ledger: Pick<SettlePipeline, "hold" | "extend" | "settle" | "undecided">;
  countTokens(text: string): Promise<number>;
  readonly countTexts: CountTexts;
  readonly caches: ReportedCaches;
  /** Is offered every request that was settled; absent: none are taken. */
  readonly sampleCounts?: (run: ChatRun, charge: FinalCharge, delivered: Delivered) => void;
  onSuspicion(run: ChatRun, suspicion: string): void;
}

export interface Settled {
  readonly charge: FinalCharge;
  readonly chargedNano: Nano;
  /** Another process took this one for dead and ended the hold, for less than the answer costs. */
  readonly takenAway: boolean;
  readonly lossNano: Nano;
  /** Null where the catalogue does not say what the route costs. */
  readonly upstreamCostNano: Nano | null;
}

/** What a request asks for, and may. */
export interface CheckedChat {
  readonly request: ChatRequest;
  /** The one that it was admitted by, whatever comes into force meanwhile. */
  readonly catalogue: Catalogue;
  readonly priceVersion: number;
  readonly model: ChatModel;
  /** The name that the answer gives the model; null leaves the upstream's. */
  readonly answerModel: string | null;
  readonly plan: HoldPlan;
  /** What makes it dearer than its tokens; null: nothing. */
  readonly asked: AskedRaises | null;
}

type Held = Extract<HoldVerdict, { kind: "held" }>;

export interface ChatRun extends CheckedChat, Slotted {
  readonly kind: "run";
  readonly deps: ChatRunDeps;
  readonly call: ChatCall;
  /** As it was made. */
  readonly hold: Held;
  /** Null for a request without an idempotency key. */
  readonly idempotent: IdempotentAnswer | null;
  /** What it owes to its rate limits; ended with the hold. */
  readonly pass: RatePass;
  readonly attempts: Attempt[];
  /** The route that answered. */
  served: Route | null;
  /**
   * What the answer says of what makes it dearer, as far as it has come; null while there is none.
   */
  said: { readonly used: UsedRaises } | null;
  /** Of it, for which the hold was last raised; null: none. */
  coveredUse: UsedRaises | null;
  /** It went to an upstream of another protocol, so variants and tools were left out. */
  translated: boolean;
  /** What is under way at the upstream; ends at once when it is aborted. */
  current: { abort(): void } | null;
  /** What a client that goes away does to it. */
  onDisconnect: DisconnectPolicy;
  /** Its place at the upstream. */
  place: Permit | null;
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
  /** Lets go of who waits for the ledger with the last bytes, and when. */
  letGo: ((settled: null) => void) | null;
  lateAtMs: number;
  /**
   * Why its answer could not be kept for its idempotency key: it is not charged, and its caller
   * gets this instead.
   */
  unkept: Fault | null;
  settling: Promise<Settled> | null;
  /** Once the ledger has it. */
  settled: Settled | null;
  /** Made when they are asked for: an answer that is held whole needs neither. */
  rolling: RollingHold | null;
  /** How the hold grew, for the receipt: when, since the request's start, and to how much. */
  raises: { readonly ms: number; readonly heldNano: string }[] | null;
  counted: DeliveredCount | null;
  /** The exact count of the prompt; null until it was made. */
  promptTokens: number | null;
  /** Of the prompt, where it was not counted yet; 0 until it was glanced at. */
  leastPromptTokens: number;
  /** Of the prompt, as its upstream told the last time; null until it was looked up. */
  cachedTokens: number | null;
}

export function createChatRun(
  deps: ChatRunDeps,
  call: ChatCall,
  checked: CheckedChat,
  hold: Held,
  idempotent: IdempotentAnswer | null,
  pass: RatePass,
  promptTokens: number | null = null,
): ChatRun {
  return {
    kind: "run",
    slot: -1,
    deps,
    call,
    request: checked.request,
    catalogue: checked.catalogue,
    priceVersion: checked.priceVersion,
    model: checked.model,
    answerModel: checked.answerModel,
    plan: checked.plan,
    asked: checked.asked,
    hold,
    idempotent,
    pass,
    attempts: [],
    served: null,
    said: null,
    coveredUse: null,
    translated: false,
    current: null,
    onDisconnect: "drain",
    place: null,
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
    letGo: null,
    lateAtMs: Infinity,
    unkept: null,
    settling: null,
    settled: null,
    rolling: null,
    raises: null,
    counted: null,
    promptTokens,
    leastPromptTokens: 0,
    cachedTokens: null,
  };
}

/**
 * Why an answer broke off half-way, on the attempt that served it: for the operator, in the words
 * that were cleaned for callers.
 */
export function noteBreak({ attempts }: ChatRun, reason: string): void {
  const served = attempts.findLastIndex(({ outcome }) => outcome === "served");
  const attempt = attempts[served];
  if (attempt !== undefined) attempts[served] = { ...attempt, reason };
}
