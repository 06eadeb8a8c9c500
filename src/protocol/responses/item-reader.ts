/**
 * Reads the output items of a Responses answer, whole or piece by piece, into what they say.
 */
import { isRecord } from "../json/is-record.ts";
import type { NeutralEvent } from "../neutral/neutral-event.ts";
import { argumentsText } from "../openai/generated-text.ts";
import { writeResponsesSeal } from "../reasoning-seal.ts";
import { OutputItems, type ReportedItem } from "./output-items.ts";

type Fields = Record<string, unknown>;

/** Follows one answer; what it says is added to `events`. */
export interface ItemReader {
  /** The item at this place of a whole answer, but for what was told of it before. */
  whole(item: Fields, index: number, events: NeutralEvent[]): void;
  /** An event of a stream that is no end of the answer. */
  read(event: Fields, events: NeutralEvent[]): void;
  /** An item was told of beyond its beginning. */
  reported(): boolean;
  /** How many tools have been called. */
  calls(): number;
  refused(): boolean;
}

interface OpenItem extends ReportedItem {
  /** Null while no call has begun with it. */
  call: number | null;
  /** Of a call whose input is a text: it is told as arguments of one member. */
  custom: boolean;
  /** The last part of reasoning that was told of. */
  part: unknown;
  /** Its end was told. */
  over: boolean;
}

const createItem = (): OpenItem => ({
  reported: false,
  named: false,
  call: null,
  custom: false,
  part: null,
  over: false,
});

/** What parts of a list of reasoning have between them. */
const BETWEEN_PARTS = "\n\n";
/** A custom tool's input as the arguments of a function: around and between its pieces. */
const INPUT_BEGINS = '{"input":"';
const INPUT_ENDS = '"}';

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? (value as readonly unknown[]).filter(isRecord) : [];
}

/** The inside of the JSON string that says this text. */
function inside(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Items of no known kind, and the vendor's own tools, say nothing. */
export function createItemReader(): ItemReader {
  const items = new OutputItems(createItem);
  let calls = 0;
  let refusals = 0;
  let reported = false;

  function say(kind: "text" | "refusal" | "thinking", text: string, events: NeutralEvent[]): void {
    if (text === "") return;
    if (kind === "refusal") refusals += 1;
    events.push({ kind, text });
  }

  function startCall(state: OpenItem, item: Fields, events: NeutralEvent[]): number {
    if (state.call !== null) return state.call;
    const call = calls;
    calls += 1;
    state.call = call;
    state.named = true;
    state.custom = item["type"] === "custom_tool_call";
    const id = textOf(item["call_id"]) || textOf(item["id"]) || `call_${call}`;
    events.push({ kind: "tool-start", call, id, name: textOf(item["name"]) });
    return call;
  }

  function sayArguments(state: OpenItem, piece: string, events: NeutralEvent[]): void {
    if (state.call === null || piece === "") return;
    const { call, custom, reported: begun } = state;
    state.reported = true;
    reported = true;
    if (!custom) {
      events.push({ kind: "tool-arguments", call, json: piece });
      return;
    }
    // Two events, so that the next piece is not taken for one that repeats this (repeat-events.ts).
    events.push({ kind: "tool-arguments", call, json: begun ? "" : INPUT_BEGINS });
    events.push({ kind: "tool-arguments", call, json: inside(piece) });
  }

  /** Parts of reasoning are one thought. */
  function sayThought(state: OpenItem, part: unknown, text: string, events: NeutralEvent[]): void {
    if (text === "") return;
    if (state.reported && part !== state.part) say("thinking", BETWEEN_PARTS, events);
    state.part = part;
    state.reported = true;
    say("thinking", text, events);
  }

  function endReasoning(state: OpenItem, item: Fields, events: NeutralEvent[]): void {
    if (!state.reported) {
      const parts = [...listOf(item["summary"]), ...listOf(item["content"])];
      for (const [index, part] of parts.entries())
        sayThought(state, index, textOf(part["text"]), events);
    }
    const encrypted = textOf(item["encrypted_content"]);
    const seal =
      encrypted === "" ? null : writeResponsesSeal({ id: textOf(item["id"]), encrypted });
    if (state.reported) events.push({ kind: "thinking-end", signature: seal });
    else if (seal !== null) events.push({ kind: "redacted-thinking", data: seal });
  }

  function endMessage(state: OpenItem, item: Fields, events: NeutralEvent[]): void {
    if (state.reported) return;
    for (const part of listOf(item["content"])) {
      if (part["type"] === "refusal") say("refusal", textOf(part["refusal"]), events);
      else say("text", textOf(part["text"]), events);
    }
  }

  function endCall(state: OpenItem, item: Fields, events: NeutralEvent[]): void {
    const call = startCall(state, item, events);
    if (!state.reported)
      sayArguments(state, argumentsText(item["arguments"] ?? item["input"]), events);
    if (!state.custom) return;
    const json = state.reported ? INPUT_ENDS : INPUT_BEGINS + INPUT_ENDS;
    events.push({ kind: "tool-arguments", call, json });
  }

  function end(state: OpenItem, item: Fields, events: NeutralEvent[]): void {
    if (state.over) return;
    state.over = true;
    reported = true;
    switch (item["type"]) {
      case "message":
        return endMessage(state, item, events);
      case "reasoning":
        return endReasoning(state, item, events);
      case "function_call":
      case "custom_tool_call":
        return endCall(state, item, events);
    }
  }

  function readDelta(event: Fields, text: string, events: NeutralEvent[]): void {
    reported = true;
    const state = items.of(event);
    switch (event["type"]) {
      case "response.output_text.delta":
      case "response.output_text.done":
        state.reported = true;
        return say("text", text, events);
      case "response.refusal.delta":
      case "response.refusal.done":
        state.reported = true;
        return say("refusal", text, events);
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_summary_text.done":
        return sayThought(state, event["summary_index"], text, events);
      case "response.reasoning_text.delta":
      case "response.reasoning_text.done":
        return sayThought(state, event["content_index"], text, events);
      default:
        return sayArguments(state, text, events);
    }
  }

  function readEvent(event: Fields, events: NeutralEvent[]): void {
    const item = isRecord(event["item"]) ? event["item"] : {};
    switch (event["type"]) {
      case "response.output_item.added": {
        const state = items.added(event);
        const named = textOf(item["name"]) !== "";
        if (named && (item["type"] === "function_call" || item["type"] === "custom_tool_call"))
          startCall(state, item, events);
        return;
      }
      case "response.output_item.done":
        return end(items.of(event), item, events);
      case "response.output_text.delta":
      case "response.refusal.delta":
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
      case "response.function_call_arguments.delta":
      case "response.custom_tool_call_input.delta":
        return readDelta(event, textOf(event["delta"]), events);
      case "response.output_text.done":
      case "response.reasoning_summary_text.done":
      case "response.reasoning_text.done":
        return items.of(event).reported
          ? undefined
          : readDelta(event, textOf(event["text"]), events);
      case "response.refusal.done":
        return items.of(event).reported
          ? undefined
          : readDelta(event, textOf(event["refusal"]), events);
      case "response.function_call_arguments.done":
        return items.of(event).reported
          ? undefined
          : sayArguments(items.of(event), argumentsText(event["arguments"]), events);
    }
  }

  return {
    whole: (item, index, events) => end(items.of({ output_index: index }), item, events),
    read: readEvent,
    reported: () => reported,
    calls: () => calls,
    refused: () => refusals > 0,
  };
}
