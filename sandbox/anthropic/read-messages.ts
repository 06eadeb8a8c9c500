/**
 * Reads the `messages` of the Messages API into turns, and checks tool results and thinking
 * signatures as the vendor does.
 */
import type { Mistake, Part, Turn } from "../conversation.ts";
import { isObject, type JsonObject } from "../is-object.ts";
import { signThinking } from "./sign-thinking.ts";

type ReadMessages =
  | { readonly ok: true; readonly value: Turn[] }
  | { readonly ok: false; readonly mistake: Mistake };
type ReadBlocks =
  | { readonly ok: true; readonly parts: Part[] }
  | { readonly ok: false; readonly at: number; readonly message: string };

const THINKING_TYPES = new Set<unknown>(["thinking", "redacted_thinking"]);

/**
 * @param budgeted thinking is `enabled`: then a turn that uses tools must begin with its thinking.
 */
export function readMessages(messages: unknown, budgeted: boolean): ReadMessages {
  const bad = (param: string, message: string): ReadMessages => ({
    ok: false,
    mistake: { status: 400, message, param },
  });
  if (!Array.isArray(messages) || messages.length === 0)
    return bad("messages", "at least one message is required");
  const turns: Turn[] = [];
  /** tool_use ids of the last assistant message that have no result yet. */
  let open = new Set<string>();
  for (const [at, message] of messages.entries()) {
    const where = `messages.${at}`;
    if (!isObject(message)) return bad(where, "Input should be an object");
    const { role } = message;
    if (role !== "user" && role !== "assistant" && role !== "system")
      return bad(`${where}.role`, "Input should be 'user', 'assistant' or 'system'");
    const blocks =
      typeof message.content === "string"
        ? [{ type: "text", text: message.content }]
        : message.content;
    if (!Array.isArray(blocks))
      return bad(`${where}.content`, "Input should be a valid string or list");
    const read = readBlocks(blocks);
    if (!read.ok) return bad(`${where}.content.${read.at}`, read.message);
    for (const part of read.parts) {
      if (part.type === "result" && !open.delete(part.callId)) {
        return bad(
          `${where}.content`,
          `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${part.callId}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
        );
      }
    }
    if (open.size > 0) return bad(where, unanswered(open));
    open = new Set(read.parts.flatMap((part) => (part.type === "call" ? [part.id] : [])));
    if (budgeted && open.size > 0 && isObject(blocks[0]) && !THINKING_TYPES.has(blocks[0].type)) {
      return bad(
        `${where}.content.0.type`,
        `Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(blocks[0].type)}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`,
      );
    }
    turns.push({ role, parts: read.parts });
  }
  return open.size > 0 ? bad("messages", unanswered(open)) : { ok: true, value: turns };
}

function unanswered(open: ReadonlySet<string>): string {
  return `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${[...open].join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
}

function readBlocks(blocks: readonly unknown[]): ReadBlocks {
  const parts: Part[] = [];
  for (const [at, block] of blocks.entries()) {
    if (!isObject(block) || typeof block.type !== "string")
      return { ok: false, at, message: "Input should have a `type`" };
    const read = readBlock(block);
    if (typeof read === "string") return { ok: false, at, message: read };
    parts.push(...read);
  }
  return { ok: true, parts };
}

/** The parts of a block, none for a kind that says nothing here, or what is wrong with it. */
function readBlock(block: JsonObject): Part[] | string {
  switch (block.type) {
    case "text":
      return typeof block.text === "string"
        ? [{ type: "text", text: block.text }]
        : "text: Input should be a valid string";
    case "image":
      return isObject(block.source) && ["base64", "url", "file"].includes(String(block.source.type))
        ? [{ type: "image" }]
        : "image.source: Field required";
    case "tool_use":
      return typeof block.id === "string" && typeof block.name === "string" && isObject(block.input)
        ? [{ type: "call", id: block.id, name: block.name, input: block.input }]
        : "tool_use: id, name and input are required, and input is an object";
    case "tool_result": {
      if (typeof block.tool_use_id !== "string") return "tool_result.tool_use_id: Field required";
      const content =
        typeof block.content === "string"
          ? [{ type: "text", text: block.content }]
          : (block.content ?? []);
      const inner = Array.isArray(content) ? readBlocks(content) : null;
      if (inner === null || !inner.ok)
        return `tool_result.content: ${inner === null ? "Input should be a string or a list" : inner.message}`;
      return [
        {
          type: "result",
          callId: block.tool_use_id,
          isError: block.is_error === true,
          parts: inner.parts,
        },
      ];
    }
    case "thinking":
      return typeof block.thinking === "string" && block.signature === signThinking(block.thinking)
        ? []
        : "Invalid `signature` in `thinking` block";
    default:
      return [];
  }
}
