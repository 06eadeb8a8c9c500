/** What an output item of the Responses protocol, or a piece of one, holds of generated text. */
import { isRecord } from "../json/is-record.ts";
import { argumentsText } from "../openai/generated-text.ts";

type Fields = Record<string, unknown>;

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Texts, refusals, reasoning and its summary, what was spoken: parts of a list. */
function partsText(parts: unknown): string {
  if (!Array.isArray(parts)) return "";
  let text = "";
  for (const part of parts as readonly unknown[])
    if (isRecord(part))
      text += textOf(part["text"]) + textOf(part["refusal"]) + textOf(part["transcript"]);
  return text;
}

/** The name under which an item calls a tool; empty where it calls none. */
export function nameText(item: Fields): string {
  return textOf(item["name"]);
}

/** All generated text of an item but the name of what it calls. */
export function bodyText(item: Fields): string {
  return (
    partsText(item["content"]) +
    partsText(item["summary"]) +
    argumentsText(item["arguments"]) +
    argumentsText(item["input"]) +
    textOf(item["code"])
  );
}

/**
 * Whether anything is in an item beyond its text: sealed reasoning, a call of the upstream's own
 * tools, a kind that is not known here.
 */
export function isSilent(item: Fields): boolean {
  const { type } = item;
  if (type === "reasoning") return textOf(item["encrypted_content"]) !== "";
  return type !== "message";
}

/** Deltas that are generated text, all of them in `delta`. */
const TEXT_DELTAS: ReadonlySet<unknown> = new Set([
  "response.output_text.delta",
  "response.refusal.delta",
  "response.function_call_arguments.delta",
  "response.custom_tool_call_input.delta",
  "response.reasoning_summary_text.delta",
  "response.reasoning_text.delta",
  "response.audio.transcript.delta",
  "response.mcp_call_arguments.delta",
  "response.code_interpreter_call_code.delta",
  "response.shell_call_command.delta",
]);

/** The text of a delta; empty for any other event. */
export function deltaText({ type, delta }: Fields): string {
  return TEXT_DELTAS.has(type) ? textOf(delta) : "";
}

/** The members in which the events that close a part say it once more, by their type. */
const WHOLE_TEXTS: ReadonlyMap<unknown, string> = new Map([
  ["response.output_text.done", "text"],
  ["response.refusal.done", "refusal"],
  ["response.function_call_arguments.done", "arguments"],
  ["response.custom_tool_call_input.done", "input"],
  ["response.reasoning_summary_text.done", "text"],
  ["response.reasoning_text.done", "text"],
  ["response.mcp_call_arguments.done", "arguments"],
  ["response.code_interpreter_call_code.done", "code"],
]);

/** What an event that closes a part says of it; null for any other event. */
export function closingText(data: Fields): string | null {
  const member = WHOLE_TEXTS.get(data["type"]);
  return member === undefined ? null : argumentsText(data[member]);
}
