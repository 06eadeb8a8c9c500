/** Writes an answer that came in another protocol as the events of a Messages stream. */
import { NO_USAGE, type TokenUsage } from "../../kernel/token-usage.ts";
import type { AnswerIdentity, EventWriter, WireEvent } from "../chat-dialect.ts";
import type { FinishReason, NeutralEvent } from "../neutral/neutral-event.ts";
import { createBlockWriter } from "./block-writer.ts";
import { messageId } from "./message-id.ts";
import { renderMessagesUsage } from "./read-usage.ts";

const STOP_REASONS: Record<FinishReason, string> = {
  stop: "end_turn",
  "stop-sequence": "stop_sequence",
  length: "max_tokens",
  "context-full": "model_context_window_exceeded",
  "tool-calls": "tool_use",
  refusal: "refusal",
};

/**
 * All fields that the official SDK's `Message` has, so that none is missing where a stream is put
 * together.
 */
function messageStart(
  identity: AnswerIdentity,
  id: string | null,
  model: string | null,
): WireEvent {
  return {
    type: "message_start",
    message: {
      id: id?.startsWith("msg_") === true ? id : messageId(identity.requestId),
      type: "message",
      role: "assistant",
      model: identity.answerModel ?? model ?? identity.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      container: null,
      // What clients measure their context by until the whole usage comes with the end. The
      // official SDK keeps this split of the cache writes, so none is given before it is known.
      usage: {
        ...renderMessagesUsage({ ...NO_USAGE, inputTokens: identity.promptTokens }),
        cache_creation: null,
      },
    },
  };
}

function messageEnd(
  reason: FinishReason,
  stopSequence: string | null,
  usage: TokenUsage,
): WireEvent[] {
  const details =
    reason === "refusal" ? { type: "refusal", category: null, explanation: null } : null;
  return [
    {
      type: "message_delta",
      delta: {
        stop_reason: STOP_REASONS[reason],
        stop_sequence: reason === "stop-sequence" ? stopSequence : null,
        stop_details: details,
        container: null,
      },
      usage: renderMessagesUsage(usage),
    },
    { type: "message_stop" },
  ];
}

/**
 * Events in the strict order that the official SDKs check: message_start, blocks one after the
 * other, and at the end, once the usage is known, message_delta and message_stop. A refusal is
 * shown as text under the stop reason `refusal`. Whatever the upstream says, and in whatever order,
 * the events are in order; what is said after the end is left out.
 */
export function createMessagesWriter(identity: AnswerIdentity): EventWriter {
  const blocks = createBlockWriter();
  let started = false;
  let ended = false;
  let called = false;
  let refused = false;
  let finish: Extract<NeutralEvent, { kind: "finish" }> | null = null;

  function begin(id: string | null, model: string | null, events: WireEvent[]): void {
    if (started) return;
    started = true;
    events.push(messageStart(identity, id, model));
  }

  function writeOne(event: NeutralEvent, events: WireEvent[]): void {
    if (event.kind === "start") return begin(event.id, event.model, events);
    begin(null, null, events);
    if (event.kind === "finish") {
      finish = event;
      return;
    }
    called ||= event.kind === "tool-start";
    refused ||= event.kind === "refusal" && event.text !== "";
    blocks.write(event, events);
  }

  /** `otherwise` is why the answer ended where the upstream has not said it. */
  function close(otherwise: FinishReason, usage: TokenUsage): WireEvent[] {
    if (ended) return [];
    ended = true;
    const reason = finish?.reason ?? otherwise;
    const shown = refused && reason === "stop" ? "refusal" : reason;
    const events: WireEvent[] = [];
    begin(null, null, events);
    blocks.end(events);
    for (const event of messageEnd(shown, finish?.stopSequence ?? null, usage)) events.push(event);
    return events;
  }

  return {
    write(answer) {
      const events: WireEvent[] = [];
      if (!ended) for (const event of answer) writeOne(event, events);
      return events;
    },
    end: (usage) => close(called ? "tool-calls" : "stop", usage),
    limitStop: (usage) => close("length", usage),
  };
}
