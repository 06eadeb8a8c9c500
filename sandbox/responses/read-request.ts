/**
 * Reads a Responses body and checks what the vendor checks; fields that change nothing here are
 * accepted unread.
 */
import type { Conversation, Mistake, Turn } from "../conversation.ts";
import { isObject, type JsonObject } from "../is-object.ts";
import type { KeptItems } from "./kept-items.ts";
import { readInput } from "./read-input.ts";
import { readToolChoice, readTools, toolMistake } from "./read-tools.ts";
import { schemaMistake } from "./strict-schema.ts";

/** What other protocols call by these names stands elsewhere here, or nowhere. */
const UNKNOWN = [
  "messages",
  "max_tokens",
  "max_completion_tokens",
  "stop",
  "stop_sequences",
  "n",
  "response_format",
  "reasoning_effort",
  "functions",
  "system",
  "thinking",
  "top_k",
];
const LEAST_OUTPUT_TOKENS = 16;
const EFFORTS = new Set<unknown>(["none", "minimal", "low", "medium", "high", "xhigh", "max"]);

export function readRequest(
  body: JsonObject,
  kept: Pick<KeptItems, "find">,
): { ok: true; conversation: Conversation } | { ok: false; mistake: Mistake } {
  const mistake = firstMistake(body) ?? toolMistake(body.tools) ?? formatMistake(body.text);
  if (mistake !== null) return { ok: false, mistake };
  const input = readInput(body.input, kept);
  if (!input.ok) return input;
  const tools = readTools(body.tools);
  const choice = readToolChoice(body.tool_choice, body.tools, tools);
  if (!choice.ok) return choice;
  const reasoning = isObject(body.reasoning) ? body.reasoning : {};
  return {
    ok: true,
    conversation: {
      model: String(body.model),
      stream: body.stream === true,
      turns: [...readInstructions(body.instructions), ...input.value],
      maxTokens: typeof body.max_output_tokens === "number" ? body.max_output_tokens : null,
      stop: [],
      choices: 1,
      tools:
        choice.allowed === null
          ? tools
          : tools.filter((tool) => choice.allowed?.has(tool.name) === true),
      toolChoice: choice.choice,
      parallelTools: body.parallel_tool_calls !== false,
      format: readFormat(body.text),
      reasoning: isObject(body.reasoning) && reasoning.effort !== "none",
      showReasoning: typeof reasoning.summary === "string",
      includeUsage: true,
    },
  };
}

function bad(param: string, message: string): Mistake {
  return { status: 400, message, param };
}

function firstMistake(body: JsonObject): Mistake | null {
  for (const name of UNKNOWN)
    if (body[name] !== undefined) return bad(name, `Unknown parameter: '${name}'.`);
  if (typeof body.model !== "string" || body.model === "")
    return bad("model", "Missing required parameter: 'model'.");
  const limit = body.max_output_tokens ?? null;
  if (limit !== null && !Number.isInteger(limit))
    return bad("max_output_tokens", "Invalid type for 'max_output_tokens': expected an integer.");
  if (limit !== null && Number(limit) < LEAST_OUTPUT_TOKENS)
    return bad(
      "max_output_tokens",
      `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${Number(limit)} instead.`,
    );
  const previous = body.previous_response_id ?? null;
  if (previous !== null)
    return bad(
      "previous_response_id",
      `Previous response with id '${JSON.stringify(previous)}' not found.`,
    );
  if (body.background === true) return bad("background", "Background mode is not enabled.");
  for (const name of ["store", "stream", "parallel_tool_calls"]) {
    const value = body[name] ?? null;
    if (value !== null && typeof value !== "boolean")
      return bad(name, `Invalid type for '${name}': expected a boolean.`);
  }
  if (isObject(body.stream_options) && body.stream !== true)
    return bad(
      "stream_options",
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
    );
  const instructions = body.instructions ?? null;
  if (instructions !== null && typeof instructions !== "string")
    return bad("instructions", "Invalid type for 'instructions': expected a string.");
  const include = body.include ?? null;
  if (include !== null && !Array.isArray(include))
    return bad("include", "Invalid type for 'include': expected an array.");
  return reasoningMistake(body.reasoning ?? null);
}

function reasoningMistake(reasoning: unknown): Mistake | null {
  if (reasoning === null) return null;
  if (!isObject(reasoning))
    return bad("reasoning", "Invalid type for 'reasoning': expected an object.");
  const effort = reasoning.effort ?? null;
  return effort === null || EFFORTS.has(effort)
    ? null
    : bad("reasoning.effort", `Invalid value: ${JSON.stringify(effort)}.`);
}

function formatMistake(text: unknown): Mistake | null {
  const format = isObject(text) ? (text.format ?? null) : null;
  if (format === null) return null;
  if (!isObject(format) || !["text", "json_object", "json_schema"].includes(String(format.type)))
    return bad("text.format.type", "Invalid value for 'text.format.type'.");
  if (format.type !== "json_schema") return null;
  if (typeof format.name !== "string")
    return bad("text.format.name", "Missing required parameter: 'text.format.name'.");
  if (!isObject(format.schema))
    return bad("text.format.schema", "Missing required parameter: 'text.format.schema'.");
  const mistake = format.strict === true ? schemaMistake(format.schema) : null;
  return mistake === null
    ? null
    : bad("text.format.schema", `Invalid schema for response_format '${format.name}': ${mistake}`);
}

function readInstructions(instructions: unknown): Turn[] {
  return typeof instructions === "string" && instructions !== ""
    ? [{ role: "system", parts: [{ type: "text", text: instructions }] }]
    : [];
}

function readFormat(text: unknown): Conversation["format"] {
  const format = isObject(text) ? text.format : null;
  if (!isObject(format)) return null;
  if (format.type === "json_object")
    return { schema: { type: "object", properties: { answer: { type: "string" } } } };
  return format.type === "json_schema" ? { schema: format.schema ?? {} } : null;
}
