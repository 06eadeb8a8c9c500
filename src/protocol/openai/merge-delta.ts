/** Joins the deltas of one choice into its message. */
import { isRecord } from "../json/is-record.ts";
import { createCallFinder, type KnownCall } from "./find-call.ts";
import { argumentsText } from "./generated-text.ts";

export interface MessageMerger {
  add(delta: Record<string, unknown>): void;
  /**
   * A whole message in the stream: after deltas it repeats them (MiniMax), so it says only what
   * they have left out.
   */
  fillIn(whole: Record<string, unknown>): void;
  /** It calls the caller's tools. */
  readonly called: boolean;
  /** The message as a non-streamed answer has it: role, content and refusal are always there. */
  message(): Record<string, unknown>;
}

/** A call under way: `name` is said once, `body` (arguments or input) comes in pieces. */
interface CallInProgress {
  fields: Map<string, unknown>;
  /** `function` or `custom` and its own fields; null until the first piece. */
  kind: "function" | "custom" | null;
  inner: Map<string, unknown>;
  pieces: string[];
}

const BODY_OF = { function: "arguments", custom: "input" } as const;

/**
 * The rule for fields that the protocol does not name: strings are joined, lists appended, of
 * anything else the last word counts, and a null does not take away what was said before.
 */
export function mergeField(fields: Map<string, unknown>, name: string, value: unknown): void {
  const before = fields.get(name);
  if (typeof before === "string" && typeof value === "string") fields.set(name, before + value);
  else if (Array.isArray(before) && Array.isArray(value))
    for (const item of value) before.push(item);
  else if (value !== null || before === undefined)
    fields.set(name, Array.isArray(value) ? [...(value as unknown[])] : value);
}

/**
 * Adds a piece of `function`, `custom` or `function_call`: its body is joined, everything else is
 * said whole.
 */
function addCallPart(call: CallInProgress, kind: "function" | "custom", part: unknown): void {
  if (!isRecord(part)) return;
  call.kind = kind;
  for (const [name, value] of Object.entries(part)) {
    if (name === BODY_OF[kind]) call.pieces.push(argumentsText(value));
    else if (value !== null && value !== "") call.inner.set(name, value);
  }
}

function newCall(): CallInProgress {
  return { fields: new Map(), kind: null, inner: new Map(), pieces: [] };
}

function innerOf(call: CallInProgress, kind: "function" | "custom"): Record<string, unknown> {
  return Object.fromEntries([["name", ""], ...call.inner, [BODY_OF[kind], call.pieces.join("")]]);
}

/**
 * A tool call, which is known by the first id that it is given, and has its place among the others.
 */
interface ToolCallInProgress extends CallInProgress, KnownCall {
  index: number | null;
}

function newToolCall(): ToolCallInProgress {
  const call = newCall();
  return {
    ...call,
    id: "",
    index: null,
    get begun() {
      return call.pieces.some((piece) => piece !== "");
    },
  };
}

function nameOf(called: unknown): string {
  return isRecord(called) && typeof called["name"] === "string" ? called["name"] : "";
}

/**
 * Tool calls in the order of their indexes; of those that share one, or have none, in the order of
 * their beginnings.
 */
function createToolCallMerger(): {
  add(list: readonly unknown[]): void;
  calls(): Record<string, unknown>[];
} {
  const { calls, find } = createCallFinder(newToolCall);

  function addOne(delta: Record<string, unknown>, position: number, count: number): void {
    const { index, id } = delta;
    const name = nameOf(delta["function"]) + nameOf(delta["custom"]);
    const call = find({ index, id: typeof id === "string" ? id : "", name, position, count });
    if (call === null) return;
    if (typeof index === "number") call.index ??= index;
    if (call.id === "" && typeof id === "string") call.id = id;
    for (const [field, value] of Object.entries(delta)) {
      if (field === "function" || field === "custom") addCallPart(call, field, value);
      else if (field !== "index" && field !== "id" && value !== null && value !== "")
        call.fields.set(field, value);
    }
  }

  return {
    add(list) {
      for (const [position, delta] of list.entries())
        if (isRecord(delta)) addOne(delta, position, list.length);
    },
    calls() {
      const placed = calls.map((call, order) => ({ call, place: call.index ?? order }));
      return placed
        .toSorted((a, b) => a.place - b.place)
        .map(({ call }) => {
          const { type, ...rest } = Object.fromEntries(call.fields);
          const kind = call.kind ?? "function";
          return { id: call.id, type: type ?? kind, [kind]: innerOf(call, kind), ...rest };
        });
    },
  };
}

function saysNothing(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === "" ||
    (Array.isArray(value) && value.length === 0)
  );
}

/**
 * Content, refusal and unknown strings (reasoning) are joined, lists are appended, audio data and
 * transcript are joined, tool calls are merged by index, anything else is said whole and the last
 * word counts. The role is said once, however often it is repeated.
 */
export function createMessageMerger(): MessageMerger {
  const fields = new Map<string, unknown>();
  const toolCalls = createToolCallMerger();
  let functionCall: CallInProgress | null = null;
  let audio: Map<string, unknown> | null = null;
  let role: unknown = "assistant";
  let sawToolCalls = false;
  let content: string | unknown[] | null = null;
  let refusal: string | null = null;

  /** Text; or parts, which some upstreams send, alone or between text. */
  function addContent(value: unknown): void {
    if (typeof value === "string") {
      if (!Array.isArray(content)) content = (content ?? "") + value;
      else if (value !== "") content.push({ type: "text", text: value });
    } else if (Array.isArray(value)) {
      if (!Array.isArray(content))
        content = content === null || content === "" ? [] : [{ type: "text", text: content }];
      for (const part of value) content.push(part);
    }
  }

  function addAudio(part: unknown): void {
    if (!isRecord(part)) return;
    audio ??= new Map();
    for (const [name, value] of Object.entries(part)) {
      if (name === "data" || name === "transcript") mergeField(audio, name, value);
      else if (value !== null) audio.set(name, value);
    }
  }

  function addField(name: string, value: unknown): void {
    switch (name) {
      case "role":
        if (typeof value === "string" && value !== "") role = value;
        break;
      case "content":
        addContent(value);
        break;
      case "refusal":
        if (typeof value === "string") refusal = (refusal ?? "") + value;
        break;
      case "tool_calls":
        if (!Array.isArray(value) || value.length === 0) break;
        sawToolCalls = true;
        toolCalls.add(value);
        break;
      case "function_call":
        if (!isRecord(value)) break;
        functionCall ??= newCall();
        addCallPart(functionCall, "function", value);
        break;
      case "audio":
        addAudio(value);
        break;
      default:
        mergeField(fields, name, value);
    }
  }

  function message(): Record<string, unknown> {
    return Object.fromEntries<unknown>([
      ["role", role],
      ["content", content],
      ["refusal", refusal],
      ...fields,
      ...(sawToolCalls ? [["tool_calls", toolCalls.calls()] as const] : []),
      ...(functionCall === null
        ? []
        : [["function_call", innerOf(functionCall, "function")] as const]),
      ...(audio === null ? [] : [["audio", Object.fromEntries(audio)] as const]),
    ]);
  }

  return {
    add(delta) {
      for (const [name, value] of Object.entries(delta)) addField(name, value);
    },
    fillIn(whole) {
      const present = new Map(Object.entries(message()));
      for (const [name, value] of Object.entries(whole))
        if (saysNothing(present.get(name))) addField(name, value);
    },
    message,
    get called() {
      return sawToolCalls || functionCall !== null;
    },
  };
}
