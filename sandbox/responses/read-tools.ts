/** Reads the tools of a Responses body, and which of them may or must be called. */
import type { Mistake, Tool, ToolChoice } from "../conversation.ts";
import { isObject, type JsonObject } from "../is-object.ts";
import { schemaMistake } from "./strict-schema.ts";

/** Tools that the vendor runs, or whose calls its model has learnt; accepted and never called. */
const HOSTED =
  /^(?:web_search|web_search_preview|file_search|code_interpreter|image_generation|computer|computer_use_preview|mcp|local_shell|shell|apply_patch|tool_search)(?:_\d{4}_\d{2}_\d{2})?$/;
/** A custom tool takes a text. */
const TEXT_INPUT = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
};

function bad(param: string, message: string): Mistake {
  return { status: 400, message, param };
}

export function toolMistake(tools: unknown, path = "tools"): Mistake | null {
  if (tools === undefined || tools === null) return null;
  if (!Array.isArray(tools)) return bad(path, `Invalid type for '${path}': expected an array.`);
  for (const [at, tool] of tools.entries()) {
    const mistake = oneMistake(tool, `${path}[${at}]`);
    if (mistake !== null) return mistake;
  }
  return null;
}

function oneMistake(tool: unknown, where: string): Mistake | null {
  if (!isObject(tool) || typeof tool.type !== "string")
    return bad(`${where}.type`, `Missing required parameter: '${where}.type'.`);
  if (HOSTED.test(tool.type)) return null;
  if (tool.type !== "function" && tool.type !== "custom" && tool.type !== "namespace")
    return bad(`${where}.type`, `Invalid value: '${tool.type}'.`);
  if (typeof tool.name !== "string" || !/^[\w-]{1,64}$/.test(tool.name))
    return bad(`${where}.name`, `Missing required parameter: '${where}.name'.`);
  if (tool.type === "namespace") return toolMistake(tool.tools, `${where}.tools`);
  if (tool.type === "custom") return null;
  const parameters = tool.parameters ?? null;
  if (parameters !== null && !isObject(parameters))
    return bad(`${where}.parameters`, `Invalid type for '${where}.parameters'.`);
  // Strict unless the request says otherwise, where the schema allows it.
  const mistake = tool.strict === true ? schemaMistake(parameters) : null;
  return mistake === null
    ? null
    : bad(`${where}.parameters`, `Invalid schema for function '${tool.name}': ${mistake}`);
}

export function readTools(tools: unknown, namespace?: string): Tool[] {
  if (!Array.isArray(tools)) return [];
  return tools.filter(isObject).flatMap((tool) => {
    if (tool.type === "namespace") return readTools(tool.tools, String(tool.name));
    if (tool.type !== "function" && tool.type !== "custom") return [];
    return [
      {
        name: String(tool.name),
        description: typeof tool.description === "string" ? tool.description : "",
        schema: tool.type === "custom" ? TEXT_INPUT : (tool.parameters ?? {}),
        ...(tool.type === "custom" ? { custom: true as const } : {}),
        ...(namespace === undefined ? {} : { namespace }),
      },
    ];
  });
}

type ReadChoice =
  | { readonly ok: true; readonly choice: ToolChoice; readonly allowed: ReadonlySet<string> | null }
  | { readonly ok: false; readonly mistake: Mistake };

export function readToolChoice(given: unknown, sent: unknown, tools: readonly Tool[]): ReadChoice {
  const found = (choice: ToolChoice, allowed: ReadonlySet<string> | null = null): ReadChoice => ({
    ok: true,
    choice,
    allowed,
  });
  if (given === undefined || given === null || given === "auto" || given === "none")
    return found({ kind: given === "none" ? "none" : "auto" });
  if (!Array.isArray(sent) || sent.length === 0)
    return refused("Tool choice must be specified with 'tools' parameter.");
  if (given === "required") return found({ kind: "required" });
  if (!isObject(given)) return refused("Invalid value for 'tool_choice'.");
  if (given.type === "function" || given.type === "custom") return named(given, tools);
  if (given.type === "allowed_tools" && Array.isArray(given.tools)) {
    const allowed = given.tools.flatMap((tool) => (isObject(tool) ? [String(tool.name)] : []));
    return found({ kind: given.mode === "required" ? "required" : "auto" }, new Set(allowed));
  }
  return typeof given.type === "string" && HOSTED.test(given.type)
    ? found({ kind: "auto" })
    : refused("Invalid value for 'tool_choice'.");
}

function refused(message: string): ReadChoice {
  return { ok: false, mistake: bad("tool_choice", message) };
}

function named(given: JsonObject, tools: readonly Tool[]): ReadChoice {
  const name = String(given.name);
  return tools.some((tool) => tool.name === name)
    ? { ok: true, choice: { kind: "named", name }, allowed: null }
    : refused(`Tool choice '${name}' not found in 'tools' parameter.`);
}
