/** What a call came to: what it is charged by, and what its caller gets last. */
import type { ChatState } from "../../contract/enums/chat-state.ts";
import type { Fault } from "../../kernel/faults.ts";
import type { TokenUsage } from "../../kernel/token-usage.ts";
import { ABSENT_USAGE, type UsageReading } from "../../protocol/usage-reading.ts";
import type { AnswerEnd } from "../chat/answer-end.ts";
import type { DeliveredCall } from "./charge-call.ts";

export interface CallOutcome {
  readonly state: ChatState;
  /** As the upstream told it. */
  readonly usage: UsageReading;
  readonly delivered: DeliveredCall;
  readonly finishReason: string | null;
  /** Made with what is charged, since that stands in it; null: there is nothing to get. */
  readonly end: ((usage: TokenUsage) => AnswerEnd) | null;
  /** The same request by the same idempotency key gets it again; else one with a key is not charged. */
  readonly kept: boolean;
  /** What the caller is told instead of an answer; null: it gets its end. */
  readonly fault: Fault | null;
}

/** Nothing reaches its caller, so nothing is charged: its hold is released. */
export function released(state: ChatState, fault: Fault | null): CallOutcome {
  return {
    state,
    usage: ABSENT_USAGE,
    delivered: { anything: false, text: "", counts: {} },
    finishReason: null,
    end: null,
    kept: false,
    fault,
  };
}
