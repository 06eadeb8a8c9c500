/**
 * Reads a Messages body and checks what the vendor checks; fields that change nothing here are
 * accepted unread.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { Conversation, Mistake, Part, Tool, ToolChoice, Turn } from "../conversation.ts";
import { isObject, type JsonObject } from "../is-object.ts";
import { readMessages } from "./read-messages.ts";

type ReadRequest =
  | { readonly ok: true; readonly conversation: Conversation }
  | { readonly ok: false; readonly mistake: Mistake };

/** @param purpose counting tokens needs no max_tokens. */
export function readRequest(
  body: JsonObject,
  headers: IncomingHttpHeaders,
  purpose: "message" | "count",
): ReadRequest {
  const thinking = isObject(body.thinking) ? body.thinking : {};
  const mistake = firstMistake(body, headers, purpose, thinking);
  if (mistake !== null) return { ok: false, mistake };
  const messages = readMessages(body.messages, thinking.type === "enabled");
  if (!messages.ok) return messages;
  const tools = (Array.isArray(body.tools) ? body.tools : []).flatMap(readTool);
  const choice = readToolChoice(body.tool_choice, tools);
  if (choice === null)
    return {
      ok: false,
      mistake: bad("tool_choice", "Input does not match any of the provided tools or choices."),
    };
  const forced = choice.kind === "required" || choice.kind === "named";
  const reasoning = typeof thinking.type === "string" && thinking.type !== "disabled";
  if (forced && reasoning)
    return {
      ok: false,
      mistake: bad(null, "Thinking may not be enabled when tool_choice forces tool use."),
    };
  return {
    ok: true,
    conversation: {
      model: String(body.model),
      stream: body.stream === true,
      turns: [...readSystem(body.system), ...messages.value],
      maxTokens: typeof body.max_tokens === "number" ? body.max_tokens : null,
      stop: Array.isArray(body.stop_sequences) ? body.stop_sequences.map(String) : [],
      choices: 1,
      tools,
      toolChoice: choice,
      parallelTools: !(
        isObject(body.tool_choice) && body.tool_choice.disable_parallel_tool_use === true
      ),
      format: readFormat(body),
      reasoning,
      showReasoning: thinking.display !== "omitted",
      includeUsage: true,
    },
  };
}

function bad(param: string | null, message: string): Mistake {
  return { status: 400, message, param };
}

function firstMistake(
  body: JsonObject,
  headers: IncomingHttpHeaders,
  purpose: "message" | "count",
  thinking: JsonObject,
): Mistake | null {
  if (headers["anthropic-version"] === undefined)
    return bad("anthropic-version", "header is required");
  if (typeof body.model !== "string" || body.model === "") return bad("model", "Field required");
  const limit = body.max_tokens;
  if (purpose === "message" && limit === undefined) return bad("max_tokens", "Field required");
  if (limit !== undefined && !(Number.isInteger(limit) && Number(limit) >= 1))
    return bad("max_tokens", "Input should be greater than or equal to 1");
  const stops = body.stop_sequences;
  if (
    stops !== undefined &&
    stops !== null &&
    !(Array.isArray(stops) && stops.every((one) => typeof one === "string"))
  ) {
    return bad("stop_sequences", "Input should be a valid list of strings");
  }
  if (
    body.tools !== undefined &&
    body.tools !== null &&
    !(
      Array.isArray(body.tools) &&
      body.tools.every((tool) => isObject(tool) && typeof tool.name === "string")
    )
  ) {
    return bad("tools", "Input should be a valid list of tools with names");
  }
  if (thinking.type === "enabled" && purpose === "message") {
    const budget = thinking.budget_tokens;
    if (!Number.isInteger(budget) || Number(budget) < 1024)
      return bad("thinking.enabled.budget_tokens", "Input should be greater than or equal to 1024");
    if (Number(budget) >= Number(limit))
      return bad(null, "`max_tokens` must be greater than `thinking.budget_tokens`.");
  }
  return null;
}

function readSystem(system: unknown): Turn[] {
  const texts =
    typeof system === "string"
      ? [system]
      : Array.isArray(system)
        ? system.flatMap((block) =>
            isObject(block) && typeof block.text === "string" ? [block.text] : [],
          )
        : [];
  const parts: Part[] = texts.map((text) => ({ type: "text", text }));
  return parts.length === 0 ? [] : [{ role: "system", parts }];
}

/** A vendor's built-in tool has no schema; it is accepted and never called. */
function readTool(tool: unknown): Tool[] {
  if (!isObject(tool) || !isObject(tool.input_schema)) return [];
  return [
    {
      name: String(tool.name),
      description: typeof tool.description === "string" ? tool.description : "",
      schema: tool.input_schema,
    },
  ];
}

function readToolChoice(given: unknown, tools: readonly Tool[]): ToolChoice | null {
  if (given === undefined || given === null) return { kind: "auto" };
  if (!isObject(given)) return null;
  if (given.type === "auto" || given.type === "none") return { kind: given.type };
  if (given.type === "any") return { kind: "required" };
  const name = String(given.name);
  return given.type === "tool" && tools.some((tool) => tool.name === name)
    ? { kind: "named", name }
    : null;
}

/** `output_config.format`, and `output_format` as it was called before. */
function readFormat(body: JsonObject): Conversation["format"] {
  const given =
    isObject(body.output_config) && isObject(body.output_config.format)
      ? body.output_config.format
      : body.output_format;
  return isObject(given) && given.type === "json_schema" ? { schema: given.schema ?? {} } : null;
}
