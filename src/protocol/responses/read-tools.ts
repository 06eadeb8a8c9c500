/**
 * Reads the tools of a Responses request as functions in one flat list, and which of them the model
 * may, must or must not call.
 */
import { isRecord } from "../json/is-record.ts";
import type { NeutralTool, ToolChoice } from "../neutral/neutral-request.ts";
import { readCacheMark } from "../openai/read-parts.ts";
import { isPresent, refuseField } from "../openai/refuse-field.ts";
import { flatName, TOOL_SEARCH, type ToolOrigin } from "./tool-names.ts";

type Fields = Record<string, unknown>;

/** A function, and what it is to the caller. */
export interface FlatTool {
  readonly tool: NeutralTool;
  readonly origin: ToolOrigin;
}

export interface ToolSelection {
  readonly tools: readonly NeutralTool[];
  readonly choice: ToolChoice | null;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function joined(...texts: readonly (string | null)[]): string | null {
  const given = texts.filter((text) => text !== null);
  return given.length === 0 ? null : given.join("\n\n");
}

function nameOf(tool: Fields, param: string): string {
  const name = textOf(tool["name"]);
  if (name === null) throw refuseField(`${param}.name`, "is required");
  return name;
}

function readFunction(tool: Fields, param: string, namespace: string | null): FlatTool {
  const name = nameOf(tool, param);
  const { description, parameters, strict } = tool;
  if (isPresent(parameters) && !isRecord(parameters))
    throw refuseField(`${param}.parameters`, "must be an object or null");
  return {
    tool: {
      name: flatName(name, namespace),
      description: textOf(description),
      schema: isRecord(parameters) ? parameters : null,
      strict: typeof strict === "boolean" ? strict : null,
      cache: readCacheMark(tool),
    },
    origin: { kind: "function", name, namespace },
  };
}

/** What the text of the tool is to look like; its upstream cannot make the model keep to it. */
function grammarOf(format: unknown): string | null {
  if (!isRecord(format) || typeof format["definition"] !== "string") return null;
  const { syntax, definition } = format;
  return `The input is a text by this grammar (${typeof syntax === "string" ? syntax : "lark"}):\n${definition}`;
}

/** A tool whose input is a text becomes a function of one text. */
function readCustom(tool: Fields, param: string, namespace: string | null): FlatTool {
  const name = nameOf(tool, param);
  return {
    tool: {
      name: flatName(name, namespace),
      description: joined(textOf(tool["description"]), grammarOf(tool["format"])),
      schema: {
        type: "object",
        properties: { input: { type: "string", description: "The input of the tool, as it is." } },
        required: ["input"],
        additionalProperties: false,
      },
      strict: null,
      cache: readCacheMark(tool),
    },
    origin: { kind: "custom", name, namespace },
  };
}

/** What its description says of all tools in it stands before that of the first. */
function readNamespace(tool: Fields, param: string): FlatTool[] {
  const namespace = nameOf(tool, param);
  const { tools, description } = tool;
  if (!Array.isArray(tools)) throw refuseField(`${param}.tools`, "must be an array");
  const [first, ...rest] = tools.flatMap((inner: unknown, index) =>
    readTool(inner, `${param}.tools[${index}]`, namespace),
  );
  if (first === undefined) return [];
  const about = joined(textOf(description), first.tool.description);
  return [{ ...first, tool: { ...first.tool, description: about } }, ...rest];
}

/** Where the upstream itself would search, no search is needed: all tools that it has are here. */
function readToolSearch(tool: Fields): FlatTool[] {
  if (tool["execution"] !== "client") return [];
  const { description, parameters } = tool;
  return [
    {
      tool: {
        name: TOOL_SEARCH,
        description: textOf(description) ?? "Finds further tools by what they are for.",
        schema: isRecord(parameters) ? parameters : null,
        strict: null,
        cache: null,
      },
      origin: { kind: "tool-search" },
    },
  ];
}

function readTool(tool: unknown, param: string, namespace: string | null): FlatTool[] {
  if (!isRecord(tool)) throw refuseField(param, "must be an object");
  switch (tool["type"]) {
    case "function":
      return [readFunction(tool, param, namespace)];
    case "custom":
      return [readCustom(tool, param, namespace)];
    case "namespace":
      return readNamespace(tool, param);
    case "tool_search":
      return readToolSearch(tool);
    default:
      // What only an upstream of this protocol can run (hosted-tools.ts).
      return [];
  }
}

/**
 * Those of the request, and those that its items have found since, by their name in the flat list:
 * the first of a name counts.
 */
export function readTools(
  listed: unknown,
  found: readonly { readonly tools: readonly unknown[]; readonly param: string }[] = [],
): ReadonlyMap<string, FlatTool> {
  const lists = [
    ...(Array.isArray(listed) ? [{ tools: listed as readonly unknown[], param: "tools" }] : []),
    ...found,
  ];
  const flat = new Map<string, FlatTool>();
  for (const { tools, param } of lists) {
    for (const [index, tool] of tools.entries()) {
      for (const one of readTool(tool, `${param}[${index}]`, null))
        if (!flat.has(one.tool.name)) flat.set(one.tool.name, one);
    }
  }
  return flat;
}

function readMode(mode: unknown): ToolChoice | null {
  return mode === "auto" || mode === "none" || mode === "required" ? { kind: mode } : null;
}

/** Null for a tool that is no function of the flat list. */
function chosenName(choice: Fields): string | null {
  const { type, name, namespace } = choice;
  if (type === "tool_search") return TOOL_SEARCH;
  return (type === "function" || type === "custom") && typeof name === "string"
    ? flatName(name, textOf(namespace))
    : null;
}

function readAllowed(choice: Fields, tools: readonly NeutralTool[]): ToolSelection {
  const mode = readMode(choice["mode"]);
  const list: unknown = choice["tools"];
  if (mode === null || !Array.isArray(list))
    throw refuseField("tool_choice", "must have a 'mode' and a list of 'tools'");
  const wanted = new Set(list.map((tool: unknown) => (isRecord(tool) ? chosenName(tool) : null)));
  return { tools: tools.filter(({ name }) => wanted.has(name)), choice: mode };
}

/** A choice of what was left out is none. */
function select(choice: unknown, tools: readonly NeutralTool[]): ToolSelection {
  const mode = readMode(choice);
  if (mode !== null || !isPresent(choice)) return { tools, choice: mode };
  if (!isRecord(choice))
    throw refuseField("tool_choice", "must be none, auto, required, one tool or allowed_tools");
  if (choice["type"] === "allowed_tools") return readAllowed(choice, tools);
  const name = chosenName(choice);
  return {
    tools,
    choice:
      name === null || !tools.some((tool) => tool.name === name) ? null : { kind: "tool", name },
  };
}

/** A choice among no tools says nothing. */
export function selectTools(choice: unknown, flat: ReadonlyMap<string, FlatTool>): ToolSelection {
  const selection = select(
    choice,
    [...flat.values()].map(({ tool }) => tool),
  );
  return selection.tools.length === 0 ? { tools: [], choice: null } : selection;
}
