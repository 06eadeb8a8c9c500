/**
 * Puts a streamed message together again as the non-streamed one that the same upstream would have
 * given.
 */
import type { TokenUsage } from "../../kernel/token-usage.ts";
import type { Assembler, WireEvent } from "../chat-dialect.ts";
import { isRecord } from "../json/is-record.ts";
import { createMessageBlock, membersText, type MessageBlock } from "./message-block.ts";
import { mergeUsage } from "./read-usage.ts";
import { shownMessagesUsage } from "./shown-usage.ts";

/** What every message has, whatever the upstream left out. */
const SHELL: readonly (readonly [string, unknown])[] = [
  ["id", ""],
  ["type", "message"],
  ["role", "assistant"],
  ["model", ""],
  ["content", []],
  ["stop_reason", null],
  ["stop_sequence", null],
];

/** A later null does not take away what was said before. */
function setUnlessNull(fields: Map<string, unknown>, name: string, value: unknown): void {
  if (value !== null || !fields.has(name)) fields.set(name, value);
}

/**
 * Rules, those of the official SDK's accumulator (anthropic-sdk-typescript
 * `src/lib/BetaMessageStream.ts`): the message of message_start with the blocks by index and their
 * deltas joined; what message_delta says of the message (stop reason, container, context management
 * …) and of the usage takes the place of what was said before, unless it is null. The order of
 * members is that of message_start, numbers in the input of tools stay as they are written, and
 * fields that the schema does not name are kept.
 */
export function createMessageAssembler(): Assembler {
  const head = new Map<string, unknown>();
  const blocks = new Map<number, MessageBlock>();
  let usage: Record<string, unknown> = {};
  /** The output that message_start tells is a placeholder. */
  let placeholder = true;
  /** The caller's own tools have been called. */
  let called = false;

  function addStart(message: Record<string, unknown>): void {
    if (head.size > 0) return;
    for (const [name, value] of Object.entries(message)) head.set(name, value);
    const { content } = message;
    if (Array.isArray(content)) {
      for (const [index, block] of content.entries())
        if (isRecord(block)) blocks.set(index, createMessageBlock(block));
    }
    usage = mergeUsage(usage, message["usage"]);
  }

  function addToBlock(index: number, { type, content_block: block, delta }: WireEvent): void {
    if (type === "content_block_delta" && isRecord(delta)) blocks.get(index)?.add(delta);
    if (type !== "content_block_start" || !isRecord(block)) return;
    blocks.set(index, createMessageBlock(block));
    called ||= block["type"] === "tool_use";
    // The upstream went on with another model, which a whole answer would name (beta "fallbacks").
    const { to } = block;
    if (block["type"] === "fallback" && isRecord(to) && typeof to["model"] === "string")
      head.set("model", to["model"]);
  }

  function addMessageDelta(event: WireEvent): void {
    const { type: _type, delta, usage: reported, ...others } = event;
    for (const [name, value] of Object.entries(isRecord(delta) ? delta : {}))
      setUnlessNull(head, name, value);
    for (const [name, value] of Object.entries(others)) setUnlessNull(head, name, value);
    usage = mergeUsage(usage, reported, placeholder);
    placeholder &&= !isRecord(reported) || typeof reported["output_tokens"] !== "number";
  }

  return {
    add(event) {
      const { type, index, message } = event;
      if (type === "message_start" && isRecord(message)) addStart(message);
      else if (type === "message_delta") addMessageDelta(event);
      else if (typeof index === "number") addToBlock(index, event);
    },
    finish(charged: TokenUsage | null, stopped = false) {
      const fields = new Map([...(head.size === 0 ? SHELL : []), ...head]);
      usage = (charged === null ? null : shownMessagesUsage(usage, charged)) ?? usage;
      // Some upstreams end an answer without having said why.
      if (typeof fields.get("stop_reason") !== "string") {
        fields.set("stop_reason", stopped ? "max_tokens" : called ? "tool_use" : "end_turn");
      }
      if (Object.keys(usage).length > 0) fields.set("usage", usage);
      const ordered = [...blocks].toSorted(([a], [b]) => a - b).map(([, block]) => block.text());
      return Buffer.from(
        membersText(fields.set("content", null), "content", `[${ordered.join(",")}]`),
      );
    },
  };
}
