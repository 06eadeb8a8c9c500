/**
 * Writes content blocks one after the other, as the Messages protocol wants them, from pieces that
 * may come interleaved.
 */
import type { WireEvent } from "../chat-dialect.ts";
import type { NeutralEvent } from "../neutral/neutral-event.ts";
import { createObjectText, type ObjectText } from "./object-text.ts";
import { sealCallId } from "../sealed-call-id.ts";
import { toolInput } from "./tool-input.ts";

/** What a block is made of. `start`, `finish` and the like are not. */
export type Piece = Exclude<NeutralEvent, { kind: "start" | "finish" }>;

/** What is written is added to `events`. */
export interface BlockWriter {
  write(piece: Piece, events: WireEvent[]): void;
  /** All that still waits, and the end of the last block. */
  end(events: WireEvent[]): void;
}

/**
 * A block that is being written or waits for those before it. `waiting` are its deltas that have
 * not been written.
 */
interface Block {
  readonly content: Record<string, unknown>;
  readonly waiting: Record<string, unknown>[];
  index: number | null;
  /** Nothing can be added any more. */
  over: boolean;
  /** Of a thought: its seal is among the deltas. */
  sealed: boolean;
  readonly call: Call | null;
}

interface Call {
  readonly text: ObjectText;
  /** Some of the arguments have been passed on. */
  begun: boolean;
  /** The arguments as they came, kept while nothing of them could be passed on. */
  raw: string;
}

function textDelta(kind: "text" | "thinking", text: string): Record<string, unknown> {
  return kind === "text"
    ? { type: "text_delta", text }
    : { type: "thinking_delta", thinking: text };
}

/**
 * Only the first block that is not over is written as its pieces come; the rest wait. A text or a
 * thought is over when something else follows, a call when its arguments are whole and something
 * follows: until then its next piece may come at any time. Arguments that are not the text of an
 * object are passed on as far as they are its beginning, else as `toolInput` carries them, since
 * the official SDK gives up the whole stream over a text that it cannot parse.
 */
export function createBlockWriter(): BlockWriter {
  let queue: Block[] = [];
  /** The first of the queue that is not over. */
  let first = 0;
  const calls = new Map<number, Block>();
  let count = 0;

  function push(content: Record<string, unknown>, over: boolean, call: Call | null = null): Block {
    const block: Block = { content, waiting: [], index: null, over, sealed: false, call };
    queue.push(block);
    return block;
  }

  /** The last block, where it is of this type and still takes pieces. */
  function lastOpen(type: string): Block | null {
    const last = queue.at(-1);
    return last !== undefined && !last.over && last.content["type"] === type ? last : null;
  }

  function addText(kind: "text" | "thinking", text: string): void {
    if (text === "") return;
    const empty =
      kind === "text"
        ? { type: "text", text: "" }
        : { type: "thinking", thinking: "", signature: "" };
    (lastOpen(kind) ?? push(empty, false)).waiting.push(textDelta(kind, text));
  }

  function endThinking(signature: string | null): void {
    // A seal without thoughts is how the vendor hides them: it must come back to it all the same.
    const block =
      lastOpen("thinking") ??
      (signature === null ? null : push({ type: "thinking", thinking: "", signature: "" }, false));
    if (block === null) return;
    if (signature !== null) block.waiting.push({ type: "signature_delta", signature });
    block.sealed = signature !== null;
    block.over = true;
  }

  function addArguments(number: number, json: string): void {
    const block = calls.get(number);
    if (block === undefined || block.call === null || block.over) return;
    const { call } = block;
    const text = call.text.add(json);
    if (text !== "") block.waiting.push({ type: "input_json_delta", partial_json: text });
    call.begun ||= text !== "";
    call.raw = call.begun ? "" : call.raw + json;
  }

  function take(piece: Piece): void {
    switch (piece.kind) {
      case "text":
      case "refusal":
        return addText("text", piece.text);
      case "thinking":
        return addText("thinking", piece.text);
      case "thinking-end":
        return endThinking(piece.signature);
      case "redacted-thinking":
        push({ type: "redacted_thinking", data: piece.data }, true);
        return;
      case "tool-start": {
        if (calls.has(piece.call)) return;
        const call: Call = { text: createObjectText(), begun: false, raw: "" };
        calls.set(
          piece.call,
          push(
            { type: "tool_use", id: sealCallId(piece.id, piece.seal), name: piece.name, input: {} },
            false,
            call,
          ),
        );
        return;
      }
      case "tool-arguments":
        return addArguments(piece.call, piece.json);
    }
  }

  function isOver({ over, call }: Block): boolean {
    if (over) return true;
    if (queue.length - first === 1) return false;
    return (
      call === null || call.text.state === "whole" || (call.text.state === "broken" && call.begun)
    );
  }

  function show(block: Block, events: WireEvent[]): void {
    if (block.index === null) {
      block.index = count;
      count += 1;
      events.push({
        type: "content_block_start",
        index: block.index,
        content_block: block.content,
      });
    }
    for (const delta of block.waiting)
      events.push({ type: "content_block_delta", index: block.index, delta });
    block.waiting.length = 0;
  }

  /** The end of a block that has been shown. */
  function close({ index, call, content, sealed }: Block, events: WireEvent[]): void {
    let last: Record<string, unknown> | null = null;
    if (content["type"] === "thinking") {
      // Without the event of its seal, some clients do not give a thought back (AI SDK); an empty
      // one is none.
      if (!sealed) last = { type: "signature_delta", signature: "" };
    } else if (call !== null && !call.begun) {
      // Also where there are no arguments, for readers that parse what they have joined.
      last = { type: "input_json_delta", partial_json: JSON.stringify(toolInput(call.raw)) };
    }
    if (last !== null) events.push({ type: "content_block_delta", index, delta: last });
    events.push({ type: "content_block_stop", index });
  }

  function advance(all: boolean, events: WireEvent[]): void {
    for (let block = queue[first]; block !== undefined; block = queue[first]) {
      show(block, events);
      if (!all && !isOver(block)) return;
      block.over = true;
      close(block, events);
      first += 1;
    }
    queue = [];
    first = 0;
  }

  return {
    write(piece, events) {
      take(piece);
      advance(false, events);
    },
    end: (events) => advance(true, events),
  };
}
