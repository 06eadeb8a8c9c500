/**
 * Reads a Chat Completions body and checks what the vendor checks; fields that change nothing here
 * are accepted unread.
 */
import type { Conversation, Mistake, ToolChoice } from "../conversation.ts";
import { isObject, type JsonObject } from "../is-object.ts";
import { readTurns } from "./read-turns.ts";

type Read<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly mistake: Mistake };

export function readRequest(
  body: JsonObject,
): { ok: true; conversation: Conversation } | { ok: false; mistake: Mistake } {
  const mistake = firstMistake(body);
  if (mistake !== null) return { ok: false, mistake };
  const turns = readTurns(body.messages);
  if (!turns.ok) return turns;
  const tools = (Array.isArray(body.tools) ? body.tools : []).flatMap((tool) => {
    const made =
      isObject(tool) && tool.type === "function" && isObject(tool.function) ? tool.function : null;
    if (made === null) return [];
    return [
      {
        name: String(made.name),
        description: typeof made.description === "string" ? made.description : "",
        schema: made.parameters ?? {},
      },
    ];
  });
  const choice = readToolChoice(
    body.tool_choice,
    tools.map((tool) => tool.name),
  );
  if (!choice.ok) return choice;
  const streamOptions = isObject(body.stream_options) ? body.stream_options : {};
  const limit = body.max_completion_tokens ?? body.max_tokens;
  return {
    ok: true,
    conversation: {
      model: String(body.model),
      stream: body.stream === true,
      turns: turns.value,
      maxTokens: typeof limit === "number" ? limit : null,
      stop:
        typeof body.stop === "string"
          ? [body.stop]
          : Array.isArray(body.stop)
            ? body.stop.map(String)
            : [],
      choices: typeof body.n === "number" ? body.n : 1,
      tools:
        choice.value.allowed === null
          ? tools
          : tools.filter((tool) => choice.value.allowed?.has(tool.name)),
      toolChoice: choice.value.choice,
      parallelTools: body.parallel_tool_calls !== false,
      format: readFormat(body.response_format),
      reasoning: typeof body.reasoning_effort === "string" && body.reasoning_effort !== "none",
      showReasoning: true,
      includeUsage: streamOptions.include_usage === true,
    },
  };
}

function bad(param: string, message: string): Mistake {
  return { status: 400, message, param };
}

const isLimit = (value: unknown): boolean =>
  value === undefined || value === null || (Number.isInteger(value) && Number(value) >= 1);

function firstMistake(body: JsonObject): Mistake | null {
  if (typeof body.model !== "string" || body.model === "")
    return bad("model", "you must provide a model parameter");
  for (const name of ["max_tokens", "max_completion_tokens"]) {
    if (!isLimit(body[name]))
      return bad(name, `Invalid '${name}': expected an integer above or equal to 1.`);
  }
  if (!isLimit(body.n) || Number(body.n ?? 1) > 128)
    return bad("n", "Invalid 'n': expected an integer from 1 to 128.");
  const { stop } = body;
  const stops =
    typeof stop === "string" ||
    stop === undefined ||
    stop === null ||
    (Array.isArray(stop) && stop.every((one) => typeof one === "string"));
  if (!stops || (Array.isArray(stop) && stop.length > 4))
    return bad("stop", "Invalid 'stop': expected a string or at most 4 strings.");
  if (body.stream_options !== undefined && body.stream_options !== null && body.stream !== true) {
    return bad(
      "stream_options",
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
    );
  }
  if (body.tools !== undefined && !Array.isArray(body.tools))
    return bad("tools", "Invalid type for 'tools': expected an array.");
  for (const [at, tool] of (body.tools ?? []).entries()) {
    if (!isObject(tool) || typeof tool.type !== "string")
      return bad(`tools[${at}].type`, `Missing required parameter: 'tools[${at}].type'.`);
    if (
      tool.type === "function" &&
      !(isObject(tool.function) && typeof tool.function.name === "string")
    ) {
      return bad(
        `tools[${at}].function.name`,
        `Missing required parameter: 'tools[${at}].function.name'.`,
      );
    }
  }
  if (isObject(body.response_format) && body.response_format.type === "json_schema") {
    const schema = body.response_format.json_schema;
    if (!isObject(schema) || typeof schema.name !== "string") {
      return bad(
        "response_format.json_schema.name",
        "Missing required parameter: 'response_format.json_schema.name'.",
      );
    }
  }
  return null;
}

function readToolChoice(
  given: unknown,
  names: readonly string[],
): Read<{ choice: ToolChoice; allowed: ReadonlySet<string> | null }> {
  const found = (
    choice: ToolChoice,
    allowed: ReadonlySet<string> | null = null,
  ): Read<{ choice: ToolChoice; allowed: ReadonlySet<string> | null }> => ({
    ok: true,
    value: { choice, allowed },
  });
  if (given === undefined || given === null) return found({ kind: "auto" });
  if (given !== "none" && names.length === 0)
    return {
      ok: false,
      mistake: bad("tool_choice", "'tool_choice' is only allowed when 'tools' are specified."),
    };
  if (given === "auto" || given === "none" || given === "required") return found({ kind: given });
  if (isObject(given) && given.type === "function" && isObject(given.function)) {
    const name = String(given.function.name);
    if (names.includes(name)) return found({ kind: "named", name });
    return {
      ok: false,
      mistake: bad(
        "tool_choice.function.name",
        `Tool choice '${name}' not found in 'tools' parameter.`,
      ),
    };
  }
  if (
    isObject(given) &&
    given.type === "allowed_tools" &&
    isObject(given.allowed_tools) &&
    Array.isArray(given.allowed_tools.tools)
  ) {
    const allowed = given.allowed_tools.tools.flatMap((tool) =>
      isObject(tool) && isObject(tool.function) ? [String(tool.function.name)] : [],
    );
    return found(
      { kind: given.allowed_tools.mode === "required" ? "required" : "auto" },
      new Set(allowed),
    );
  }
  return { ok: false, mistake: bad("tool_choice", "Invalid value for 'tool_choice'.") };
}

function readFormat(given: unknown): Conversation["format"] {
  if (!isObject(given)) return null;
  if (given.type === "json_object")
    return { schema: { type: "object", properties: { answer: { type: "string" } } } };
  return given.type === "json_schema" && isObject(given.json_schema)
    ? { schema: given.json_schema.schema ?? {} }
    : null;
}
