/** Reads the tools of a chat request and which of them the model may, must or must not call. */
import { isRecord } from "../json/is-record.ts";
import type { NeutralTool, ToolChoice } from "../neutral/neutral-request.ts";
import { readCacheMark } from "./read-parts.ts";
import { isPresent, refuseField } from "./refuse-field.ts";

export interface ToolSelection {
  readonly tools: readonly NeutralTool[];
  readonly choice: ToolChoice | null;
}

function readTool(tool: unknown, param: string): NeutralTool {
  const type = isRecord(tool) ? tool["type"] : undefined;
  if (!isRecord(tool) || (isPresent(type) && type !== "function"))
    throw refuseField(param, "must be a tool of type function for this model");
  const called = isRecord(tool["function"]) ? tool["function"] : {};
  const { name, description, parameters, strict } = called;
  if (typeof name !== "string" || name === "")
    throw refuseField(`${param}.function.name`, "is required");
  if (isPresent(parameters) && !isRecord(parameters))
    throw refuseField(`${param}.function.parameters`, "must be an object or null");
  return {
    name,
    description: typeof description === "string" && description !== "" ? description : null,
    schema: isRecord(parameters) ? parameters : null,
    strict: typeof strict === "boolean" ? strict : null,
    cache: readCacheMark(tool) ?? readCacheMark(called),
  };
}

function readMode(mode: unknown): ToolChoice | null {
  return mode === "auto" || mode === "none" || mode === "required" ? { kind: mode } : null;
}

function functionName(choice: Record<string, unknown>): string | null {
  const called = choice["function"];
  return choice["type"] === "function" && isRecord(called) && typeof called["name"] === "string"
    ? called["name"]
    : null;
}

/** `allowed_tools` leaves the others of the list out, which the model then cannot call. */
function readAllowed(
  allowed: unknown,
  tools: readonly NeutralTool[],
  param: string,
): ToolSelection {
  const { mode, tools: list } = isRecord(allowed) ? allowed : {};
  const choice = readMode(mode);
  if (choice === null || !Array.isArray(list))
    throw refuseField(param, "must have a 'mode' and a list of 'tools'");
  const known = new Set<string | null>(tools.map(({ name }) => name));
  const names = list.map((tool: unknown) => (isRecord(tool) ? functionName(tool) : null));
  const unknown = names.findIndex((name) => !known.has(name));
  if (unknown !== -1)
    throw refuseField(`${param}.tools[${unknown}]`, "must be a function of 'tools'");
  const wanted = new Set(names);
  return { tools: tools.filter(({ name }) => wanted.has(name)), choice };
}

function select(choice: unknown, tools: readonly NeutralTool[]): ToolSelection {
  if (!isPresent(choice)) return { tools, choice: null };
  const mode = readMode(choice);
  if (mode !== null) return { tools, choice: mode };
  if (isRecord(choice)) {
    const name = functionName(choice);
    if (name !== null) return { tools, choice: { kind: "tool", name } };
    if (choice["type"] === "allowed_tools")
      return readAllowed(choice["allowed_tools"], tools, "tool_choice.allowed_tools");
  }
  throw refuseField(
    "tool_choice",
    "must be none, auto, required, one function or allowed_tools for this model",
  );
}

/** A choice among no tools says nothing where nothing has to be called. */
export function readTools(list: unknown, choice: unknown): ToolSelection {
  const tools = Array.isArray(list)
    ? list.map((tool: unknown, index) => readTool(tool, `tools[${index}]`))
    : [];
  const selection = select(choice, tools);
  if (tools.length > 0) return selection;
  const kind = selection.choice?.kind;
  if (kind === "required" || kind === "tool")
    throw refuseField("tool_choice", "asks for a tool, but 'tools' is empty");
  return { tools, choice: null };
}
