/**
 * Reads the `messages` of Chat Completions into turns, and checks that tool calls and their results
 * belong together.
 */
import type { Mistake, Part, Turn } from "../conversation.ts";
import { isObject, type JsonObject } from "../is-object.ts";

const ROLES: Readonly<Record<string, Turn["role"]>> = {
  system: "system",
  developer: "system",
  user: "user",
  assistant: "assistant",
  tool: "user",
  function: "user",
};

type ReadTurns =
  | { readonly ok: true; readonly value: Turn[] }
  | { readonly ok: false; readonly mistake: Mistake };

export function readTurns(messages: unknown): ReadTurns {
  const bad = (param: string, message: string): ReadTurns => ({
    ok: false,
    mistake: { status: 400, message, param },
  });
  if (!Array.isArray(messages) || messages.length === 0)
    return bad("messages", "Invalid 'messages': expected a non-empty array.");
  const turns: Turn[] = [];
  /** Calls of the last assistant message that have no result yet. */
  let open = new Set<string>();
  for (const [at, message] of messages.entries()) {
    const where = `messages[${at}]`;
    if (!isObject(message)) return bad(where, `Invalid type for '${where}': expected an object.`);
    const role = typeof message.role === "string" ? ROLES[message.role] : undefined;
    if (role === undefined) return bad(`${where}.role`, `Invalid value for '${where}.role'.`);
    const parts = readContent(message.content);
    if (parts === null) return bad(`${where}.content`, `Invalid value for '${where}.content'.`);
    if (message.role === "tool") {
      const id = String(message.tool_call_id);
      if (!open.delete(id))
        return bad(
          `${where}.role`,
          "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
        );
      turns.push({ role, parts: [{ type: "result", callId: id, isError: false, parts }] });
      continue;
    }
    if (open.size > 0) return bad(`${where}.role`, unanswered(open));
    if (message.role === "assistant") {
      const calls = readCalls(message);
      if (calls === null)
        return bad(`${where}.tool_calls`, `Invalid value for '${where}.tool_calls'.`);
      open = new Set(calls.map((call) => call.id));
      turns.push({ role, parts: [...parts, ...calls] });
      continue;
    }
    if (message.content === undefined || message.content === null)
      return bad(
        `${where}.content`,
        `Invalid value for '${where}.content': expected a string, got null.`,
      );
    turns.push({ role, parts });
  }
  return open.size > 0 ? bad("messages", unanswered(open)) : { ok: true, value: turns };
}

function unanswered(open: ReadonlySet<string>): string {
  return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(", ")}`;
}

function readContent(content: unknown): Part[] | null {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) return null;
  const parts: Part[] = [];
  for (const part of content) {
    if (!isObject(part)) return null;
    if (part.type === "text" && typeof part.text === "string")
      parts.push({ type: "text", text: part.text });
    else if (part.type === "refusal" && typeof part.refusal === "string")
      parts.push({ type: "text", text: part.refusal });
    else if (part.type === "image_url") {
      if (
        !isObject(part.image_url) ||
        typeof part.image_url.url !== "string" ||
        !/^(https?:\/\/|data:image\/)/i.test(part.image_url.url)
      )
        return null;
      parts.push({ type: "image" });
    } else if (part.type !== "input_audio" && part.type !== "file") return null;
  }
  return parts;
}

function readCalls(message: JsonObject): Extract<Part, { type: "call" }>[] | null {
  if (message.tool_calls === undefined || message.tool_calls === null) return [];
  if (!Array.isArray(message.tool_calls)) return null;
  const calls: Extract<Part, { type: "call" }>[] = [];
  for (const call of message.tool_calls) {
    if (!isObject(call) || typeof call.id !== "string") return null;
    const made = isObject(call.function)
      ? { name: call.function.name, text: call.function.arguments }
      : isObject(call.custom)
        ? { name: call.custom.name, text: call.custom.input }
        : null;
    if (made === null || typeof made.name !== "string" || typeof made.text !== "string")
      return null;
    calls.push({ type: "call", id: call.id, name: made.name, input: parseLoosely(made.text) });
  }
  return calls;
}

/**
 * Arguments are counted as JSON where they are JSON, so that spaces cost nothing in either
 * protocol.
 */
function parseLoosely(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
