/**
 * What a delta or a message of the OpenAI protocol holds of generated text, whichever field carries
 * it.
 */
import { isRecord } from "../json/is-record.ts";

/** The arguments of a call; some upstreams send the object in place of its JSON text. */
export function argumentsText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}

function callText(call: unknown): string {
  if (!isRecord(call)) return "";
  const name = typeof call["name"] === "string" ? call["name"] : "";
  return name + argumentsText(call["arguments"] ?? call["input"]);
}

function toolCallText(call: unknown): string {
  return isRecord(call) ? callText(call["function"]) + callText(call["custom"]) : "";
}

/**
 * A string, or the texts of a list of parts (some upstreams answer in parts, and think in parts of
 * a part).
 */
function fieldText(value: unknown, depth: number): string {
  if (typeof value === "string") return value;
  if (!Array.isArray(value) || depth === 0) return "";
  let text = "";
  for (const part of value)
    if (isRecord(part)) text += fieldText(part["text"] ?? part["thinking"], depth - 1);
  return text;
}

/**
 * All generated text of a delta or message, in a fixed order of fields. Reasoning goes by two names
 * among the upstreams of this protocol, and is skipped where the one repeats the other. Empty and
 * null tool calls, and fields of a wrong type, give nothing.
 */
export function generatedText(part: Record<string, unknown>): string {
  const {
    reasoning,
    reasoning_content: reasoningContent,
    tool_calls: toolCalls,
    function_call: functionCall,
    audio,
  } = part;
  let text =
    fieldText(part["content"], 2) + fieldText(part["refusal"], 2) + fieldText(reasoningContent, 2);
  if (reasoning !== reasoningContent) text += fieldText(reasoning, 2);
  if (Array.isArray(toolCalls)) for (const call of toolCalls) text += toolCallText(call);
  if (functionCall !== undefined) text += callText(functionCall);
  if (isRecord(audio) && typeof audio["transcript"] === "string") text += audio["transcript"];
  return text;
}

/**
 * Whether anything was generated beyond what `generatedText` shows: the beginning of a tool call, a
 * piece of audio.
 */
export function hasSilentPart(part: Record<string, unknown>): boolean {
  const { tool_calls: toolCalls, function_call: functionCall, audio } = part;
  if (Array.isArray(toolCalls) && toolCalls.length > 0) return true;
  if (isRecord(functionCall)) return true;
  return isRecord(audio) && typeof audio["data"] === "string" && audio["data"] !== "";
}
