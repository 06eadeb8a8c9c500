/** Reads the content blocks of an upstream's answer, whole or piece by piece, into what they say. */
import { isRecord } from "../json/is-record.ts";
import type { NeutralEvent } from "../neutral/neutral-event.ts";

type Fields = Record<string, unknown>;

/** Follows one answer. `index` is the block's place in it, whatever the upstream takes for one. */
export interface BlockReader {
  /** A block of a whole answer. */
  whole(block: Fields): NeutralEvent[];
  start(index: unknown, block: Fields): NeutralEvent[];
  delta(index: unknown, delta: Fields): NeutralEvent[];
  stop(index: unknown): NeutralEvent[];
  /** For upstreams that forget to close their blocks. */
  stopAll(): NeutralEvent[];
  /** How many tools have been called. */
  readonly calls: number;
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

  function begin(block: Fields): { readonly opened: OpenBlock; readonly events: NeutralEvent[] } {
    switch (block["type"]) {
      case "text": {
        const text = textOf(block["text"]);
        return { opened: PLAIN, events: text === "" ? [] : [{ kind: "text", text }] };
      }
      case "thinking": {
        const text = textOf(block["thinking"]);
        const opened: OpenBlock = { kind: "thinking", signature: textOrNull(block["signature"]) };
        return { opened, events: text === "" ? [] : [{ kind: "thinking", text }] };
      }
      case "redacted_thinking":
        return { opened: PLAIN, events: [{ kind: "redacted-thinking", data: textOf(block["data"]) }] };
      case "tool_use": {
        const call = calls;
        calls += 1;
        const opened: OpenBlock = { kind: "tool", call, input: block["input"], pieces: false };
        return { opened, events: [{ kind: "tool-start", call, id: textOf(block["id"]), name: textOf(block["name"]) }] };
      }
      default:
        // What the vendor's own tools make: a request that was translated has no such tools.
        return { opened: PLAIN, events: [] };
    }
  }

  function close(block: OpenBlock): NeutralEvent[] {
    if (block.kind === "thinking") return [{ kind: "thinking-end", signature: block.signature }];
    if (block.kind !== "tool" || block.pieces) return [];
    return [{ kind: "tool-arguments", call: block.call, json: inputText(block.input) }];
  }

  function stop(index: unknown): NeutralEvent[] {
    const block = open.get(index);
    open.delete(index);
    return block === undefined ? [] : close(block);
  }

  return {
    get calls(): number {
      return calls;
    },
    whole(block: Fields): NeutralEvent[] {
      const { opened, events } = begin(block);
      return [...events, ...close(opened)];
    },
    start(index: unknown, block: Fields): NeutralEvent[] {
      const before = stop(index);
      const { opened, events } = begin(block);
      open.set(index, opened);
      return [...before, ...events];
    },
    /** A text is shown whatever block it belongs to; of the others only what fits its block. */
    delta(index: unknown, delta: Fields): NeutralEvent[] {
      const block = open.get(index);
      switch (delta["type"]) {
        case "text_delta": {
          const text = textOf(delta["text"]);
          return text === "" ? [] : [{ kind: "text", text }];
        }
        case "thinking_delta": {
          const text = textOf(delta["thinking"]);
          return text === "" ? [] : [{ kind: "thinking", text }];
        }
        case "signature_delta":
          if (block?.kind === "thinking") block.signature = textOrNull(delta["signature"]);
          return [];
        case "input_json_delta": {
          const partial = delta["partial_json"];
          const json = isRecord(partial) ? inputText(partial) : textOf(partial);
          if (block?.kind !== "tool" || json === "") return [];
          block.pieces = true;
          return [{ kind: "tool-arguments", call: block.call, json }];
        }
        default:
          return [];
      }
    },
    stop,
    stopAll: (): NeutralEvent[] => [...open.keys()].flatMap(stop),
  };
}
