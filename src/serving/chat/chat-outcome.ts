/** What a chat request came to: what it is charged by, and what its caller gets last. */
import type { ChatState } from "../../contract/enums/chat-state.ts";
import type { Fault } from "../../kernel/faults.ts";
import type { TokenUsage } from "../../kernel/token-usage.ts";
import { ABSENT_USAGE, type UsageReading } from "../../protocol/usage-reading.ts";
import { composeOnce, type AnswerEnd } from "./answer-end.ts";
import type { ChatRun } from "./chat-run.ts";
import type { Delivered } from "./final-charge.ts";
import { createKeptEnd } from "./kept-end.ts";

export interface ChatOutcome {
  readonly state: ChatState;
  /** As the upstream told it. */
  readonly usage: UsageReading;
  readonly delivered: Delivered;
  /** Made with the usage that is charged, since that stands in it; null: there is nothing to get. */
  readonly end: ((usage: TokenUsage) => AnswerEnd) | null;
  /**
   * The same request by the same idempotency key gets this answer again; else one with a key is not
   * charged.
   */
  readonly kept: boolean;
  /**
   * Keeps the answer for its account before its hold ends; from then on its end says whether it is.
   * Null: it is not to be kept.
   */
  readonly keep: ((usage: TokenUsage) => Promise<void>) | null;
  /** What the caller is told instead of an answer; null: it gets its end. */
  readonly fault: Fault | null;
}

const NOTHING_DELIVERED: Delivered = { anything: false, text: "" };

export function answered(
  run: ChatRun,
  answer: Pick<ChatOutcome, "state" | "usage" | "delivered" | "kept">,
  compose: (usage: TokenUsage) => AnswerEnd,
): ChatOutcome {
  const { state, usage, delivered, kept } = answer;
  const keepAnswer = kept ? (run.call.conversation?.keep ?? null) : null;
  // Only an answer that is kept is ended before it is sent.
  if (run.admission.idempotent === null && keepAnswer === null)
    return { state, usage, delivered, end: compose, kept, keep: null, fault: null };
  const once = composeOnce(compose);
  if (keepAnswer === null)
    return { state, usage, delivered, end: once, kept, keep: null, fault: null };
  const keptEnd = createKeptEnd(keepAnswer);
  const end = (charged: TokenUsage): AnswerEnd => keptEnd.shown(once(charged));
  const keep = async (charged: TokenUsage): Promise<void> => keptEnd.keep(once(charged));
  return { state, usage, delivered, end, kept, keep, fault: null };
}

/** Nothing reaches its caller, so nothing is charged: its hold is released. */
export function released(state: ChatState, fault: Fault | null): ChatOutcome {
  return {
    state,
    usage: ABSENT_USAGE,
    delivered: NOTHING_DELIVERED,
    end: null,
    kept: false,
    keep: null,
    fault,
  };
}
