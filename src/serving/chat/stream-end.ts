/**
 * What the caller of a stream gets last, however the stream ended, and whether that is an answer to
 * be kept.
 */
import { Fault } from "../../kernel/faults.ts";
import type { TokenUsage } from "../../kernel/token-usage.ts";
import type { StreamWriter } from "../../protocol/chat-dialect.ts";
import type { StreamEnd } from "./answer-end.ts";
import type { ChatRun } from "./chat-run.ts";
import type { ChatState } from "../../contract/enums/chat-state.ts";
import type { RelayEnd } from "./relay-stream.ts";
import { faultOfBreak } from "../routing/upstream-failure.ts";

const CUT_OFF = "The gateway is restarting; the answer was cut off here.";

export function streamEnd(
  end: RelayEnd,
  writer: StreamWriter,
  usage: TokenUsage,
  errorEvent: (fault: Fault) => Buffer,
): StreamEnd {
  switch (end.kind) {
    case "complete":
      return { streamed: true, last: writer.end(end.done, usage), broken: false };
    case "stopped-by-balance":
      return { streamed: true, last: writer.limitStop(usage), broken: false };
    case "client-gone":
      return { streamed: true, last: null, broken: true };
    case "interrupted":
      return { streamed: true, last: errorEvent(faultOfBreak(end.error)), broken: true };
    case "lost":
      return { streamed: true, last: errorEvent(faultOfBreak(null)), broken: true };
    case "shut-down":
      return {
        streamed: true,
        last: errorEvent(new Fault("overloaded", { message: CUT_OFF })),
        broken: true,
      };
  }
}

/**
 * Whether the same request by the same idempotency key gets this answer again. What broke after
 * something was delivered was charged, so it is; what we cut off ourselves, or lost the hold of, is
 * not: it is asked anew, and was not charged.
 */
export function isKept(end: RelayEnd, delivered: boolean): boolean {
  switch (end.kind) {
    case "complete":
    case "stopped-by-balance":
      return true;
    case "interrupted":
    case "client-gone":
      return delivered;
    case "lost":
    case "shut-down":
      return false;
  }
}

/** As its receipt says it. */
export function stateOf(run: ChatRun, end: RelayEnd): ChatState {
  switch (end.kind) {
    case "complete":
      // Read to its usage after the client had left: not delivered, but produced and charged.
      return run.goneAtMs === null ? "completed" : "client_gone";
    case "stopped-by-balance":
      return "stopped_by_balance";
    case "client-gone":
      return "client_gone";
    case "interrupted":
    case "lost":
    case "shut-down":
      return "interrupted";
  }
}
