/**
 * A whole message as the stream that says the same, for upstreams that answer whole where a stream
 * was asked for.
 */
import type { WireEvent } from "../chat-dialect.ts";
import { isRecord } from "../json/is-record.ts";
import { isCall } from "./generated-text.ts";
import { renderMessageEvents } from "./render-events.ts";

export function streamMessage(data: Record<string, unknown>): Buffer {
  const { content, stop_reason, stop_sequence, usage, ...head } = data;
  const blocks = (Array.isArray(content) ? content : []).filter(isRecord);
  const events: WireEvent[] = [
    {
      type: "message_start",
      message: { ...head, content: [], stop_reason: null, stop_sequence: null, usage: usage ?? {} },
    },
    ...blocks.flatMap(blockEvents),
    {
      type: "message_delta",
      delta: { stop_reason: stop_reason ?? null, stop_sequence: stop_sequence ?? null },
      usage: usage ?? {},
    },
    { type: "message_stop" },
  ];
  return renderMessageEvents(events);
}

function blockEvents(block: Record<string, unknown>, index: number): WireEvent[] {
  const [begun, deltas] = partsOf(block);
  return [
    { type: "content_block_start", index, content_block: begun },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

/** What a block begins with, and what comes after it. */
function partsOf(block: Record<string, unknown>): readonly [object, readonly object[]] {
  const { type, text, thinking, signature, input } = block;
  if (type === "text" && typeof text === "string")
    return [{ ...block, text: "" }, [{ type: "text_delta", text }]];
  if (type === "thinking" && typeof thinking === "string") {
    const seal = typeof signature === "string" ? [{ type: "signature_delta", signature }] : [];
    return [
      { ...block, thinking: "", signature: "" },
      [{ type: "thinking_delta", thinking }, ...seal],
    ];
  }
  if (isCall(type) && isRecord(input))
    return [
      { ...block, input: {} },
      [{ type: "input_json_delta", partial_json: JSON.stringify(input) }],
    ];
  return [block, []];
}
