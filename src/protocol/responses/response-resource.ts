/**
 * The response as this protocol shows it: what was asked stands in it again, all of it, since
 * strict clients miss every field that is not there.
 */
import type { AnswerIdentity } from "../chat-dialect.ts";
import { isRecord } from "../json/is-record.ts";
import { isTranslated } from "./hosted-tools.ts";
import { responseId } from "./response-ids.ts";

type Fields = Record<string, unknown>;

function orNull(value: unknown): unknown {
  return value ?? null;
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

/** As OpenAI shows it: what was not said of a tool is null. */
function shownTool(tool: Fields): Fields {
  if (tool["type"] !== "function") return tool;
  const { description, parameters, strict } = tool;
  return {
    ...tool,
    description: orNull(description),
    parameters: orNull(parameters),
    strict: orNull(strict),
  };
}

/** The tools that the model has had: those that were left out are not among them. */
function shownTools(tools: unknown): unknown[] {
  return Array.isArray(tools) ? tools.filter(isTranslated).map(shownTool) : [];
}

const CHOICES: ReadonlySet<unknown> = new Set(["function", "custom", "allowed_tools"]);

function shownChoice(choice: unknown): unknown {
  if (choice === "none" || choice === "required") return choice;
  return isRecord(choice) && CHOICES.has(choice["type"]) ? choice : "auto";
}

function shownText(text: unknown): Fields {
  const { format, ...rest } = isRecord(text) ? text : {};
  return { format: isRecord(format) ? format : { type: "text" }, ...rest };
}

function shownReasoning(reasoning: unknown): Fields {
  const { effort, summary } = isRecord(reasoning) ? reasoning : {};
  return { effort: orNull(effort), summary: orNull(summary) };
}

/** What comes of it: `in_progress` until its end is known. */
export interface ResponseState {
  readonly status: "in_progress" | "completed" | "incomplete" | "failed";
  readonly output: readonly unknown[];
  readonly usage: Fields | null;
  readonly incompleteReason?: string;
  readonly error?: { readonly code: string; readonly message: string };
}

/** `model`: as the answer names it. */
export function responseResource(
  { requestId, created, asked }: AnswerIdentity,
  model: string,
  { status, output, usage, incompleteReason, error }: ResponseState,
): Fields {
  const body = asked?.request.body ?? {};
  return {
    id: responseId(requestId),
    object: "response",
    created_at: created,
    status,
    background: false,
    completed_at: status === "completed" ? (asked?.seconds() ?? created) : null,
    error: error ?? null,
    incomplete_details: incompleteReason === undefined ? null : { reason: incompleteReason },
    instructions: orNull(body["instructions"]),
    max_output_tokens: orNull(body["max_output_tokens"]),
    max_tool_calls: orNull(body["max_tool_calls"]),
    model,
    output,
    parallel_tool_calls: body["parallel_tool_calls"] !== false,
    previous_response_id: orNull(body["previous_response_id"]),
    prompt_cache_key: orNull(body["prompt_cache_key"]),
    reasoning: shownReasoning(body["reasoning"]),
    safety_identifier: orNull(body["safety_identifier"]),
    service_tier: "default",
    // From one that failed no request could go on.
    store: status !== "failed" && asked?.keeps === true,
    temperature: numberOr(body["temperature"], 1),
    text: shownText(body["text"]),
    tool_choice: shownChoice(body["tool_choice"]),
    tools: shownTools(body["tools"]),
    top_logprobs: numberOr(body["top_logprobs"], 0),
    top_p: numberOr(body["top_p"], 1),
    presence_penalty: numberOr(body["presence_penalty"], 0),
    frequency_penalty: numberOr(body["frequency_penalty"], 0),
    truncation: body["truncation"] === "auto" ? "auto" : "disabled",
    usage,
    user: orNull(body["user"]),
    metadata: isRecord(body["metadata"]) ? body["metadata"] : {},
  };
}
