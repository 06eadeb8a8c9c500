/**
 * Builds answers of an anthropic upstream for scripts: streams as one buffer per event, and whole
 * messages.
 */
import { sseEvent } from "./sse-event.ts";

export type AnthropicBlock =
  | { readonly type: "text"; readonly pieces: readonly string[] }
  | { readonly type: "thinking"; readonly pieces: readonly string[]; readonly signature: string }
  | {
      readonly type: "tool_use";
      readonly id: string;
      readonly name: string;
      readonly pieces: readonly string[];
    };

export interface AnthropicAnswer {
  readonly id?: string;
  readonly model?: string;
  readonly blocks: readonly AnthropicBlock[];
  /** `usage` of message_start, as it shall stand on the wire; undefined leaves the member out. */
  readonly startUsage?: unknown;
  /** `usage` of message_delta, and of the whole message; undefined leaves the member out. */
  readonly usage?: unknown;
  /** Null leaves message_delta out. Default: tool_use where a tool is used, else end_turn. */
  readonly stopReason?: string | null;
  readonly stopSequence?: string;
  /** False leaves message_stop out. */
  readonly stop?: boolean;
}

/**
 * The events of a stream: message_start, each block's start, deltas and stop, message_delta,
 * message_stop.
 */
export function anthropicStream(answer: AnthropicAnswer): Buffer[] {
  const events: Buffer[] = [];
  const push = (type: string, rest: Record<string, unknown>): void =>
    void events.push(sseEvent({ type, ...rest }, type));
  push("message_start", {
    message: {
      ...shell(answer),
      content: [],
      stop_reason: null,
      stop_sequence: null,
      ...member("usage", answer.startUsage),
    },
  });
  for (const [index, block] of answer.blocks.entries()) {
    push("content_block_start", { index, content_block: emptyBlock(block) });
    for (const piece of block.pieces)
      push("content_block_delta", { index, delta: deltaOf(block, piece) });
    if (block.type === "thinking")
      push("content_block_delta", {
        index,
        delta: { type: "signature_delta", signature: block.signature },
      });
    push("content_block_stop", { index });
  }
  const reason = stopReason(answer);
  if (reason !== null) {
    push("message_delta", {
      delta: { stop_reason: reason, stop_sequence: answer.stopSequence ?? null },
      ...member("usage", answer.usage),
    });
  }
  if (answer.stop !== false) push("message_stop", {});
  return events;
}

/** The non-streamed form of the same answer. */
export function anthropicMessage(answer: AnthropicAnswer): Record<string, unknown> {
  return {
    ...shell(answer),
    content: answer.blocks.map(wholeBlock),
    stop_reason: stopReason(answer),
    stop_sequence: answer.stopSequence ?? null,
    ...member("usage", answer.usage),
  };
}

function shell(answer: AnthropicAnswer): Record<string, unknown> {
  return {
    id: answer.id ?? "msg_scripted",
    type: "message",
    role: "assistant",
    model: answer.model ?? "scripted",
  };
}

function member(name: string, value: unknown): Record<string, unknown> {
  return value === undefined ? {} : { [name]: value };
}

function stopReason(answer: AnthropicAnswer): string | null {
  if (answer.stopReason !== undefined) return answer.stopReason;
  return answer.blocks.some((block) => block.type === "tool_use") ? "tool_use" : "end_turn";
}

function emptyBlock(block: AnthropicBlock): Record<string, unknown> {
  if (block.type === "text") return { type: "text", text: "" };
  if (block.type === "thinking") return { type: "thinking", thinking: "", signature: "" };
  return { type: "tool_use", id: block.id, name: block.name, input: {} };
}

function wholeBlock(block: AnthropicBlock): Record<string, unknown> {
  const text = block.pieces.join("");
  if (block.type === "text") return { type: "text", text };
  if (block.type === "thinking")
    return { type: "thinking", thinking: text, signature: block.signature };
  return {
    type: "tool_use",
    id: block.id,
    name: block.name,
    input: JSON.parse(text === "" ? "{}" : text) as unknown,
  };
}

function deltaOf(block: AnthropicBlock, piece: string): Record<string, unknown> {
  if (block.type === "text") return { type: "text_delta", text: piece };
  if (block.type === "thinking") return { type: "thinking_delta", thinking: piece };
  return { type: "input_json_delta", partial_json: piece };
}
