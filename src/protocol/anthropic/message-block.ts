/** One content block of a message, put together from its beginning and its deltas. */
import { isCall } from "./generated-text.ts";
import { wholeJson } from "../json/whole-json.ts";

export interface MessageBlock {
  add(delta: Record<string, unknown>): void;
  /** As JSON. */
  text(): string;
}

/**
 * The JSON of an object with these members, one of which is JSON already: it takes its place in the
 * order.
 */
export function membersText(
  fields: ReadonlyMap<string, unknown>,
  name: string,
  json: string,
): string {
  const members = [...fields].map(
    ([key, value]) =>
      `${JSON.stringify(key)}:${key === name ? json : (JSON.stringify(value) ?? "null")}`,
  );
  return `{${members.join(",")}}`;
}

/** `begun` is the `content_block` of content_block_start; it is not changed. */
export function createMessageBlock(begun: Record<string, unknown>): MessageBlock {
  const fields = new Map(Object.entries(begun));
  /**
   * The JSON text of a tool's input; empty where none came, and then the input stays as it was
   * begun.
   */
  let input = "";
  /** Lists of `fields` that are this block's own, so that they may be added to. */
  const lists = new Map<string, unknown[]>();

  function join(name: string, piece: unknown): void {
    const before = fields.get(name);
    if (typeof piece === "string")
      fields.set(name, typeof before === "string" ? before + piece : piece);
  }

  function append(name: string, item: unknown): void {
    const before = fields.get(name);
    const list = lists.get(name) ?? (Array.isArray(before) ? [...(before as unknown[])] : []);
    list.push(item);
    lists.set(name, list);
    fields.set(name, list);
  }

  /**
   * A delta of a kind that is not known here: texts and lists go on, of anything else the last word
   * counts.
   */
  function addUnknown(delta: Record<string, unknown>): void {
    for (const [name, value] of Object.entries(delta)) {
      if (name === "type") continue;
      if (typeof value === "string") join(name, value);
      else if (Array.isArray(value)) for (const item of value) append(name, item);
      else if (value !== null || !fields.has(name)) fields.set(name, value);
    }
  }

  return {
    add(delta) {
      switch (delta["type"]) {
        case "text_delta":
          return join("text", delta["text"]);
        case "thinking_delta":
          return join("thinking", delta["thinking"]);
        case "signature_delta":
          return void fields.set("signature", delta["signature"]);
        case "citations_delta":
          return append("citations", delta["citation"]);
        case "input_json_delta":
          // Arguments that stray into a block of text are none of it (hazards §32).
          if (typeof delta["partial_json"] === "string" && isCall(begun["type"]))
            input += delta["partial_json"];
          return;
        case "compaction_delta": {
          const { type: _type, ...changes } = delta;
          for (const [name, value] of Object.entries(changes)) fields.set(name, value);
          return;
        }
        default:
          return addUnknown(delta);
      }
    },
    text() {
      if (input === "") return JSON.stringify(Object.fromEntries(fields));
      return membersText(fields.set("input", null), "input", wholeJson(input) ?? "{}");
    },
  };
}
