/**
 * The proper end of a Messages stream that the gateway itself stops because the balance is used up.
 */
import type { TokenUsage } from "../../kernel/token-usage.ts";
import type { AnswerIdentity, WireEvent } from "../chat-dialect.ts";
import { messageId } from "./message-id.ts";
import { renderMessagesUsage } from "./read-usage.ts";

/** How far the stream had come in what was delivered. */
export interface DeliveredSoFar {
  /** message_start has gone out. */
  readonly started: boolean;
  /** The stop reason has gone out: only message_stop is missing. */
  readonly finished: boolean;
  /** Indices of blocks that were begun and not ended, in the order of their beginnings. */
  readonly openBlocks: readonly number[];
}

/**
 * The beginning of a message of which nothing has come: for streams that are stopped before they
 * said anything.
 */
function emptyStart(usage: TokenUsage, identity: AnswerIdentity): WireEvent {
  return {
    type: "message_start",
    message: {
      id: messageId(identity.requestId),
      type: "message",
      role: "assistant",
      model: identity.answerModel ?? identity.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      container: null,
      usage: { ...renderMessagesUsage(usage), output_tokens: 0, output_tokens_details: null },
    },
  };
}

/**
 * Whatever is missing of: message_start, the ends of open blocks, stop reason `max_tokens` with the
 * usage charged, message_stop.
 */
export function limitStop(
  delivered: DeliveredSoFar,
  usage: TokenUsage,
  identity: AnswerIdentity,
): WireEvent[] {
  const events: WireEvent[] = delivered.started ? [] : [emptyStart(usage, identity)];
  for (const index of delivered.openBlocks) events.push({ type: "content_block_stop", index });
  if (!delivered.finished) {
    events.push({
      type: "message_delta",
      delta: {
        stop_reason: "max_tokens",
        stop_sequence: null,
        stop_details: null,
        container: null,
      },
      usage: renderMessagesUsage(usage),
    });
  }
  events.push({ type: "message_stop" });
  return events;
}
