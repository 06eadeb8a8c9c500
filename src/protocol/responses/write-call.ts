/**
 * Writes a call of one of the caller's tools in the words that the caller has for that tool: a
 * function's arguments, a custom tool's text, a search for tools.
 */
import { createCustomInput } from "./custom-input.ts";
import type { EmitEvent } from "./emit-event.ts";
import type { ToolOrigin } from "./tool-names.ts";

type Item = Record<string, unknown>;

export interface CallWriter {
  /** A piece of the JSON text of the arguments. */
  add(json: string): void;
  /** Its arguments are there, as far as can be told from them. */
  readonly whole: boolean;
  /**
   * Returns the item as it stands in the output. Null for one that was cut off and must not be made
   * by mistake: nothing shows its caller that more of its text was to come.
   */
  end(cut: boolean): Item | null;
}

/** What the kinds of calls differ in. */
interface CallForm {
  item(status: string): Item;
  add(json: string): void;
  /** Called once, where its item is to be shown. */
  finish(): void;
  readonly whole: boolean;
  readonly showsCut: boolean;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

interface Place {
  readonly id: string;
  readonly callId: string;
  readonly index: number;
}

function namespaced(namespace: string | null): Item {
  return namespace === null ? {} : { namespace };
}

function functionForm(
  emit: EmitEvent,
  { id, callId, index }: Place,
  { name, namespace }: Extract<ToolOrigin, { kind: "function" }>,
): CallForm {
  const at = { item_id: id, output_index: index };
  let json = "";
  return {
    item: (status) => ({
      id,
      type: "function_call",
      status,
      arguments: json,
      call_id: callId,
      name,
      ...namespaced(namespace),
    }),
    add(piece) {
      json += piece;
      emit("response.function_call_arguments.delta", { ...at, delta: piece });
    },
    finish: () => emit("response.function_call_arguments.done", { ...at, arguments: json, name }),
    get whole() {
      return isJson(json);
    },
    showsCut: true,
  };
}

function customForm(
  emit: EmitEvent,
  { id, callId, index }: Place,
  { name, namespace }: Extract<ToolOrigin, { kind: "custom" }>,
): CallForm {
  const at = { item_id: id, output_index: index };
  const input = createCustomInput();
  let text = "";
  function say(piece: string): void {
    if (piece === "") return;
    text += piece;
    emit("response.custom_tool_call_input.delta", { ...at, delta: piece });
  }
  return {
    item: (status) => ({
      id,
      type: "custom_tool_call",
      status,
      call_id: callId,
      name,
      ...namespaced(namespace),
      input: text,
    }),
    add: (piece) => say(input.add(piece)),
    finish() {
      say(input.end());
      emit("response.custom_tool_call_input.done", { ...at, input: text });
    },
    get whole() {
      return input.whole;
    },
    showsCut: false,
  };
}

function searchForm({ id, callId }: Place): CallForm {
  let json = "";
  return {
    item: (status) => ({
      id,
      type: "tool_search_call",
      status,
      execution: "client",
      call_id: callId,
      arguments: isJson(json) ? (JSON.parse(json) as unknown) : {},
    }),
    add(piece) {
      json += piece;
    },
    finish: () => undefined,
    get whole() {
      return isJson(json);
    },
    showsCut: false,
  };
}

function formOf(emit: EmitEvent, place: Place, origin: ToolOrigin): CallForm {
  switch (origin.kind) {
    case "function":
      return functionForm(emit, place, origin);
    case "custom":
      return customForm(emit, place, origin);
    case "tool-search":
      return searchForm(place);
  }
}

/** Of an item's id. */
export function callPrefix(origin: ToolOrigin): string {
  return { function: "fc", custom: "ctc", "tool-search": "tsc" }[origin.kind];
}

export function createCallWriter(emit: EmitEvent, place: Place, origin: ToolOrigin): CallWriter {
  const form = formOf(emit, place, origin);
  let begun = false;
  emit("response.output_item.added", { output_index: place.index, item: form.item("in_progress") });
  return {
    add(json) {
      if (json === "") return;
      begun = true;
      form.add(json);
    },
    get whole() {
      return begun && form.whole;
    },
    end(cut) {
      if (cut && !form.showsCut) return null;
      // A call without arguments has an empty object of them; one that was cut off has none.
      if (!begun && !cut && origin.kind !== "custom") form.add("{}");
      form.finish();
      const item = form.item(cut ? "incomplete" : "completed");
      emit("response.output_item.done", { output_index: place.index, item });
      return item;
    },
  };
}
