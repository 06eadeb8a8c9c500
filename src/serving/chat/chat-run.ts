/**
 * One admitted chat request from its hold to its receipt: what is fixed by its admission, and the
 * phase that it is in.
 */
import type { Catalogue, ChatModel } from "../../catalogue/catalogue.ts";
import type { CodedReason, WordedReason } from "../../contract/operator/upstream-reason.ts";
import type { AskedRaises } from "../../contract/price/asked-raises.ts";
import type { Seal } from "../../kernel/seal.ts";
import type { Slotted } from "../../kernel/slot-list.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { UsedRaises } from "../../kernel/price-raises.ts";
import type { HoldVerdict } from "../../ledger/hold-verdicts.ts";
import type { AccountSeal } from "../../protocol/account-seal.ts";
import type { ChatRequest } from "../../protocol/chat-request.ts";
import type { RatePass } from "../admission/rate-gate.ts";
import type { RollingHold } from "../money/rolling-hold.ts";
import type { SettlePipeline } from "../money/settle-pipeline.ts";
import type { ChatCall } from "./chat-call.ts";
import type { DroppedTools } from "./dropped-tools.ts";
import type { Delivered, FinalCharge } from "./final-charge.ts";
import type { HoldPlan } from "./plan-hold.ts";
import type { IdempotentAnswer } from "./idempotent-answer.ts";
import type { CountTexts } from "./refuse-too-long.ts";
import type { ReportedCaches } from "./reported-caches.ts";
import { ADMITTED } from "./run-phase.ts";
import type { Answering, RunPhase } from "./run-phase.ts";

export interface Attempt {
  readonly upstream: string;
  readonly model: string;
  /** `skipped`: passed over without a call. */
  readonly outcome: "served" | "failed" | "skipped";
  readonly status: number | null;
  /** Why it failed; of the one that served, why its answer broke off. */
  readonly reason: string | null;
  /** The same for pages; absent where there are only an upstream's words. */
  readonly coded?: CodedReason;
  readonly ms: number;
}

export interface ChatRunDeps {
  readonly clock: Clock;
  readonly ledger: Pick<SettlePipeline, "hold" | "extend" | "settle" | "undecided" | "wasLost">;
  countTokens(text: string): Promise<number>;
  readonly countTexts: CountTexts;
  readonly caches: ReportedCaches;
  /** For what callers are to bring back and no other account may read. */
  readonly seal: Seal;
  /** Is offered every request that was settled; absent: none are taken. */
  readonly sampleCounts?: (run: ChatRun, charge: FinalCharge, delivered: Delivered) => void;
  onSuspicion(run: ChatRun, suspicion: string): void;
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
  /** Tools that it goes without; null: it has all. */
  readonly dropped: DroppedTools | null;
}

type Held = Extract<HoldVerdict, { kind: "held" }>;

/** What its admission gave a request. */
export interface Admission {
  /** As it was made. */
  readonly held: Held;
  /** Null for a request without an idempotency key. */
  readonly idempotent: IdempotentAnswer | null;
  /** What it owes to its rate limits; ended with the hold. */
  readonly pass: RatePass;
  /** The count of its prompt, where it had to be made; else null. */
  readonly promptTokens: number | null;
}

/** How a hold grew. */
export interface HoldGrowth {
  /** Made when it is asked for: an answer that is held whole needs none. */
  rolling: RollingHold | null;
  /** For the receipt: when, since the request's start, and to how much; null where it did not. */
  raises: { readonly ms: number; readonly heldNano: string }[] | null;
  /** What the answer had said of what makes it dearer, when it grew for that; null: it did not. */
  coveredUse: UsedRaises | null;
}

/** What is known of how many tokens the prompt has. */
export interface PromptCount {
  /** By a count of all of it; null until that was made. */
  exact: number | null;
  /** Where it was not counted yet; 0 until it was glanced at. */
  least: number;
  /** As its upstream told the last time; null until it was looked up. */
  cached: number | null;
}

export interface ChatRun extends CheckedChat, Slotted {
  readonly kind: "run";
  readonly deps: ChatRunDeps;
  readonly call: ChatCall;
  readonly admission: Admission;
  attempts: readonly Attempt[];
  readonly growth: HoldGrowth;
  readonly promptCount: PromptCount;
  phase: RunPhase;
  /** The process ends and the deadline of its drain has come. */
  cut: boolean;
  /** Since when its caller has heard nothing. */
  lastWriteMs: number;
  /** Null while its caller is there. */
  goneAtMs: number | null;
}

const NONE: readonly Attempt[] = [];

export function createChatRun(
  deps: ChatRunDeps,
  call: ChatCall,
  checked: CheckedChat,
  admission: Admission,
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
    dropped: checked.dropped,
    admission,
    attempts: NONE,
    growth: { rolling: null, raises: null, coveredUse: null },
    promptCount: { exact: admission.promptTokens, least: 0, cached: null },
    phase: ADMITTED,
    cut: false,
    lastWriteMs: call.startedMs,
    goneAtMs: null,
  };
}

/** What only the account of this request can bring back. */
export function sealOf({ deps, call }: Pick<ChatRun, "deps" | "call">): AccountSeal {
  return { seal: deps.seal, accountId: call.key.accountId };
}

/** Null while no route has answered, and where none did. */
export function answerOf({ phase }: Pick<ChatRun, "phase">): Answering | null {
  switch (phase.kind) {
    case "admitted":
    case "calling":
      return null;
    case "answering":
      return phase;
    case "settling":
    case "ended":
      return phase.answer;
  }
}

/**
 * Why an answer broke off half-way, on the attempt that served it: for the operator, in the words
 * that were cleaned for callers.
 */
export function noteBreak(run: ChatRun, worded: WordedReason): void {
  const served = run.attempts.findLastIndex(({ outcome }) => outcome === "served");
  const attempt = run.attempts[served];
  if (attempt !== undefined) run.attempts = run.attempts.with(served, { ...attempt, ...worded });
}
