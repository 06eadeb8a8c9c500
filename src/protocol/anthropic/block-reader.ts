/**
 * Reads the content blocks of an upstream's answer, whole or piece by piece, into what they say.
 */
import { isRecord } from "../json/is-record.ts";
import type { NeutralEvent } from "../neutral/neutral-event.ts";

type Fields = Record<string, unknown>;

/**
 * Follows one answer; what it says is added to `events`. `index` is the block's place in it,
 * whatever the upstream takes for one.
 */
export interface BlockReader {
  /** A block of a whole answer. */
  whole(block: Fields, events: NeutralEvent[]): void;
  start(index: unknown, block: Fields, events: NeutralEvent[]): void;
  delta(index: unknown, delta: Fields, events: NeutralEvent[]): void;
  stop(index: unknown, events: NeutralEvent[]): void;
  /** For upstreams that forget to close their blocks. */
  stopAll(events: NeutralEvent[]): void;
  /** How many tools have been called. */
  calls(): number;
}

/** A block under way; `plain` says nothing more by its end. */
type OpenBlock =
  | { readonly kind: "plain" }
  | { readonly kind: "thinking"; signature: string | null }
  /** `input`: what the block's start said of it; it counts where no piece follows. */
  | { readonly kind: "tool"; readonly call: number; readonly input: unknown; pieces: boolean };

const PLAIN: OpenBlock = { kind: "plain" };

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function textOrNull(value: unknown): string | null {
  return textOf(value) || null;
}

export function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

/** The input of a call as JSON text; nothing is an empty object. */
function inputText(input: unknown): string {
  if (typeof input === "string" && input !== "") return input;
  try {
    return isRecord(input) || Array.isArray(input) ? JSON.stringify(input) : "{}";
  } catch {
    // Nested deeper than anything can be written.
    return "{}";
  }
}

/** Citations, and blocks and deltas of no known kind, say nothing. */
export function createBlockReader(): BlockReader {
  const open = new Map<unknown, OpenBlock>();
  let calls = 0;

  function addText(kind: "text" | "thinking", value: unknown, events: NeutralEvent[]): void {
    const text = textOf(value);
    if (text !== "") events.push({ kind, text });
  }

  function begin(block: Fields, events: NeutralEvent[]): OpenBlock {
    switch (block["type"]) {
      case "text":
        addText("text", block["text"], events);
        return PLAIN;
      case "thinking":
        addText("thinking", block["thinking"], events);
        return { kind: "thinking", signature: textOrNull(block["signature"]) };
      case "redacted_thinking":
        events.push({ kind: "redacted-thinking", data: textOf(block["data"]) });
        return PLAIN;
      case "tool_use": {
        const call = calls;
        calls += 1;
        events.push({
          kind: "tool-start",
          call,
          id: textOf(block["id"]),
          name: textOf(block["name"]),
        });
        return { kind: "tool", call, input: block["input"], pieces: false };
      }
      default:
        // What the vendor's own tools make: a request that was translated has no such tools.
        return PLAIN;
    }
  }

  function close(block: OpenBlock, events: NeutralEvent[]): void {
    if (block.kind === "thinking")
      events.push({ kind: "thinking-end", signature: block.signature });
    else if (block.kind === "tool" && !block.pieces)
      events.push({ kind: "tool-arguments", call: block.call, json: inputText(block.input) });
  }

  function stop(index: unknown, events: NeutralEvent[]): void {
    const block = open.get(index);
    open.delete(index);
    if (block !== undefined) close(block, events);
  }

  return {
    calls: () => calls,
    whole(block: Fields, events: NeutralEvent[]): void {
      close(begin(block, events), events);
    },
    start(index: unknown, block: Fields, events: NeutralEvent[]): void {
      stop(index, events);
      open.set(index, begin(block, events));
    },
    /** A text is shown whatever block it belongs to; of the others only what fits its block. */
    delta(index: unknown, delta: Fields, events: NeutralEvent[]): void {
      switch (delta["type"]) {
        case "text_delta":
          return addText("text", delta["text"], events);
        case "thinking_delta":
          return addText("thinking", delta["thinking"], events);
        case "signature_delta": {
          const block = open.get(index);
          if (block?.kind === "thinking") block.signature = textOrNull(delta["signature"]);
          return;
        }
        case "input_json_delta": {
          const block = open.get(index);
          const partial = delta["partial_json"];
          const json = isRecord(partial) ? inputText(partial) : textOf(partial);
          if (block?.kind !== "tool" || json === "") return;
          block.pieces = true;
          events.push({ kind: "tool-arguments", call: block.call, json });
        }
      }
    },
    stop,
    stopAll(events: NeutralEvent[]): void {
      for (const index of open.keys()) stop(index, events);
    },
  };
}
