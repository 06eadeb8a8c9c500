/**
 * Reads the `input` of the Responses API into turns, and checks that calls and their outputs, and
 * reasoning and what follows it, belong together.
 */
import type { Mistake, Part, Turn } from "../conversation.ts";
import { isObject, type JsonObject } from "../is-object.ts";
import type { KeptItems } from "./kept-items.ts";
import { readContent } from "./read-content.ts";
import { openReasoning } from "./seal-reasoning.ts";

type ReadInput =
  | { readonly ok: true; readonly value: Turn[] }
  | { readonly ok: false; readonly mistake: Mistake };

interface ReadItem {
  readonly role: Turn["role"];
  readonly parts: readonly Part[];
}

const ROLES: Readonly<Record<string, Turn["role"]>> = {
  system: "system",
  developer: "system",
  user: "user",
  assistant: "assistant",
};
const CALL_ID_CHARACTERS = 64;
/** Items of the vendor's own tools, and of what it keeps beside the conversation. */
const SILENT = new Set([
  "web_search_call",
  "file_search_call",
  "computer_call",
  "computer_call_output",
  "code_interpreter_call",
  "image_generation_call",
  "local_shell_call",
  "local_shell_call_output",
  "mcp_list_tools",
  "mcp_call",
  "tool_search_call",
  "tool_search_output",
  "additional_tools",
]);

type Kept = Pick<KeptItems, "find">;

export function readInput(input: unknown, kept: Kept): ReadInput {
  if (typeof input === "string")
    return { ok: true, value: [{ role: "user", parts: [{ type: "text", text: input }] }] };
  if (!Array.isArray(input))
    return bad("input", "Missing required parameter: 'input'. Expected a string or a list.");
  if (input.length === 0) return bad("input", "Invalid 'input': expected at least one item.");
  const turns: Turn[] = [];
  const calls = new Set<string>();
  const open = new Set<string>();
  let thought: string | null = null;
  for (const [at, sent] of input.entries()) {
    const where = `input[${at}]`;
    const item: unknown = named(sent, kept) ?? sent;
    if (!isObject(item)) return bad(where, `Invalid type for '${where}': expected an object.`);
    const read = readItem(item, where, open);
    if ("mistake" in read) return { ok: false, mistake: read.mistake };
    for (const part of read.parts) {
      if (part.type === "call") {
        calls.add(part.id);
        open.add(part.id);
      } else if (part.type === "result") open.delete(part.callId);
    }
    if (item.type === "reasoning") thought = typeof item.id === "string" ? item.id : where;
    else if (read.role === "assistant") thought = null;
    else if (thought !== null) return bad(where, loose(thought));
    if (read.parts.length > 0) turns.push(read);
  }
  if (thought !== null) return bad("input", loose(thought));
  const [unanswered] = open;
  return unanswered === undefined
    ? { ok: true, value: turns }
    : bad("input", `No tool output found for function call ${unanswered}.`);
}

/** What a reference names, and reasoning that comes without its seal; null: what was sent, then. */
function named(item: unknown, kept: Kept): JsonObject | null {
  if (!isObject(item)) return null;
  const { type, id, encrypted_content: sealed } = item;
  return type === "item_reference" || (type === "reasoning" && typeof sealed !== "string")
    ? kept.find(id)
    : null;
}

function loose(id: string): string {
  return `Item '${id}' of type 'reasoning' was provided without its required following item.`;
}

function bad(param: string, message: string): { ok: false; mistake: Mistake } {
  return { ok: false, mistake: { status: 400, message, param } };
}

function readItem(
  item: JsonObject,
  where: string,
  open: ReadonlySet<string>,
): ReadItem | { readonly mistake: Mistake } {
  const { type = "message" } = item;
  switch (type) {
    case "message":
      return readMessage(item, where);
    case "function_call":
    case "custom_tool_call":
      return readCall(item, where);
    case "function_call_output":
    case "custom_tool_call_output":
      return readOutput(item, where, open);
    case "reasoning":
      return readReasoning(item, where);
    case "item_reference":
      return bad(where, `Item with id '${String(item.id)}' not found.`);
    default:
      return typeof type === "string" && SILENT.has(type)
        ? { role: "assistant", parts: [] }
        : bad(`${where}.type`, `Invalid value: '${String(type)}'.`);
  }
}

function readMessage(item: JsonObject, where: string): ReadItem | { readonly mistake: Mistake } {
  const role = typeof item.role === "string" ? ROLES[item.role] : undefined;
  if (role === undefined) return bad(`${where}.role`, `Invalid value for '${where}.role'.`);
  const read = readContent(item.content, role === "assistant" ? "output" : "input");
  return read.ok
    ? { role, parts: read.parts }
    : bad(`${where}.content${read.at}`, `Invalid value for '${where}.content${read.at}'.`);
}

function readCall(item: JsonObject, where: string): ReadItem | { readonly mistake: Mistake } {
  const { call_id: id, name } = item;
  const text = item.type === "function_call" ? item.arguments : item.input;
  if (typeof id !== "string" || id === "")
    return bad(`${where}.call_id`, `Missing required parameter: '${where}.call_id'.`);
  if (id.length > CALL_ID_CHARACTERS)
    return bad(
      `${where}.call_id`,
      `Invalid '${where}.call_id': string too long. Expected a string with maximum length 64, but got a string with length ${id.length} instead.`,
    );
  if (typeof name !== "string" || typeof text !== "string")
    return bad(where, `Missing required parameter: '${where}.name', or what it is called with.`);
  return { role: "assistant", parts: [{ type: "call", id, name, input: parseLoosely(text) }] };
}

function readOutput(
  item: JsonObject,
  where: string,
  open: ReadonlySet<string>,
): ReadItem | { readonly mistake: Mistake } {
  const id = String(item.call_id);
  if (!open.has(id))
    return bad(where, `No tool call found for function call output with call_id ${id}.`);
  const read = readContent(item.output, "input");
  if (item.output === undefined || !read.ok)
    return bad(`${where}.output`, `Invalid value for '${where}.output'.`);
  return {
    role: "user",
    parts: [{ type: "result", callId: id, isError: false, parts: read.parts }],
  };
}

/** What is not kept comes with its sealed content or not at all. */
function readReasoning(item: JsonObject, where: string): ReadItem | { readonly mistake: Mistake } {
  const { id, summary, encrypted_content: encrypted } = item;
  if (!Array.isArray(summary))
    return bad(`${where}.summary`, `Missing required parameter: '${where}.summary'.`);
  if (typeof encrypted !== "string")
    return bad(
      where,
      `Item with id '${String(id)}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
    );
  return openReasoning(encrypted, typeof id === "string" ? id : null) === null
    ? bad(where, `The encrypted content for item ${String(id)} could not be verified.`)
    : { role: "assistant", parts: [] };
}

/** Counted as JSON where they are JSON, so that spaces cost nothing in any protocol. */
function parseLoosely(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
