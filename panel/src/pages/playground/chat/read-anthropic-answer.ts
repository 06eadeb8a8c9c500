/** What a Messages answer says, whole or event by event. */
import { NO_ANSWER } from "./conversation.ts";
import type { Answer, ToolCall } from "./conversation.ts";

interface Block {
  readonly type?: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly signature?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
}

interface Event {
  readonly type?: string;
  readonly content_block?: Block;
  readonly delta?: {
    readonly type?: string;
    readonly text?: string;
    readonly thinking?: string;
    readonly signature?: string;
    readonly partial_json?: string;
    readonly stop_reason?: string | null;
  };
}

/** Adds an event. Blocks come one after the other, so a part of a call belongs to the last one. */
export function addAnthropicEvent(answer: Answer, event: unknown): Answer {
  const { type, content_block: block, delta } = event as Event;
  if (type === "content_block_start" && block !== undefined) {
    return addBlock(answer, block.type === "tool_use" ? { ...block, input: undefined } : block);
  }
  if (type === "message_delta") return { ...answer, finish: delta?.stop_reason ?? answer.finish };
  if (type !== "content_block_delta" || delta === undefined) return answer;
  switch (delta.type) {
    case "text_delta":
      return { ...answer, text: answer.text + (delta.text ?? "") };
    case "thinking_delta":
      return { ...answer, thinking: answer.thinking + (delta.thinking ?? "") };
    case "signature_delta":
      return { ...answer, signature: answer.signature + (delta.signature ?? "") };
    case "input_json_delta":
      return { ...answer, calls: addToLast(answer.calls, delta.partial_json ?? "") };
    default:
      return answer;
  }
}

export function readAnthropicAnswer(body: unknown): Answer {
  const { content = [], stop_reason: finish = null } = body as {
    readonly content?: readonly Block[];
    readonly stop_reason?: string | null;
  };
  return { ...content.reduce(addBlock, NO_ANSWER), finish };
}

function addBlock(answer: Answer, block: Block): Answer {
  switch (block.type) {
    case "text":
      return { ...answer, text: answer.text + (block.text ?? "") };
    case "thinking":
      return {
        ...answer,
        thinking: answer.thinking + (block.thinking ?? ""),
        signature: block.signature ?? "",
      };
    case "tool_use": {
      const given = block.input === undefined ? "" : JSON.stringify(block.input);
      return {
        ...answer,
        calls: [...answer.calls, { id: block.id ?? "", name: block.name ?? "", arguments: given }],
      };
    }
    default:
      return answer;
  }
}

function addToLast(calls: readonly ToolCall[], part: string): readonly ToolCall[] {
  const last = calls.at(-1);
  return last === undefined ? calls : calls.with(-1, { ...last, arguments: last.arguments + part });
}
