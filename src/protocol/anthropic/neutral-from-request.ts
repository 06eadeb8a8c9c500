/** A Messages request in no protocol's shape, for upstreams that speak another protocol. */
import { Fault } from "../../kernel/faults.ts";
import type {
  AssistantPart,
  NeutralReading,
  NeutralRequest,
  NeutralTurn,
  TextPart,
} from "../neutral/neutral-request.ts";
import { expect, optional, refuse, required } from "./body-field.ts";
import {
  readAssistantContent,
  readSystemContent,
  readUserContent,
  type UserContent,
} from "./neutral-content.ts";
import { readFormat, readReasoning } from "./neutral-reasoning.ts";
import { readParallelToolCalls, readToolChoice, readTools } from "./neutral-tools.ts";

/** Messages of one role that follow each other: by the protocol's rule they are one turn. */
type Turn =
  | ({ readonly role: "user" } & UserContent)
  | { readonly role: "assistant"; readonly parts: AssistantPart[] }
  | { readonly role: "system"; readonly parts: TextPart[] };

function readTurn(message: Record<string, unknown>, path: string): Turn {
  const content = `${path}.content`;
  switch (required(message, "role", "string", path)) {
    case "user":
      return { role: "user", ...readUserContent(message["content"], content) };
    case "assistant":
      return { role: "assistant", parts: readAssistantContent(message["content"], content) };
    case "system":
      return { role: "system", parts: readSystemContent(message["content"], content) };
    default:
      return refuse(`${path}.role`, `'${path}.role' must be one of "user", "assistant", "system".`);
  }
}

/** One by one: a message may have more parts than a function may have arguments. */
function append<T>(list: T[], added: readonly T[]): void {
  for (const item of added) list.push(item);
}

/** Adds what the same speaker says next; false where it is another one. */
function joined(turn: Turn, next: Turn): boolean {
  if (turn.role === "user" && next.role === "user") {
    append(turn.results, next.results);
    append(turn.parts, next.parts);
  } else if (turn.role === "assistant" && next.role === "assistant") append(turn.parts, next.parts);
  else if (turn.role === "system" && next.role === "system") append(turn.parts, next.parts);
  else return false;
  return true;
}

/**
 * Results stand before the user's own words: other protocols demand that they follow their calls at
 * once.
 */
function neutralTurns(turn: Turn): NeutralTurn[] {
  if (turn.role !== "user") return turn.parts.length === 0 ? [] : [turn];
  const { results, parts } = turn;
  return [
    ...(results.length === 0 ? [] : [{ role: "tool-results", results } as const]),
    ...(parts.length === 0 ? [] : [{ role: "user", parts } as const]),
  ];
}

function readTurns(body: Record<string, unknown>): NeutralTurn[] {
  const turns: Turn[] = [];
  for (const [index, message] of required(body, "messages", "array", "").entries()) {
    const path = `messages[${index}]`;
    const turn = readTurn(expect(message, "object", path), path);
    const last = turns.at(-1);
    if (last === undefined || !joined(last, turn)) turns.push(turn);
  }
  const neutral = turns.flatMap(neutralTurns);
  return neutral.length === 0
    ? refuse("messages", "'messages' holds nothing but empty text.")
    : neutral;
}

function readStop(body: Record<string, unknown>): string[] {
  const list = optional(body, "stop_sequences", "array") ?? [];
  return list.map((value, index) => expect(value, "string", `stop_sequences[${index}]`));
}

/**
 * What has no equivalent anywhere and would be missed; everything else that is not read here is
 * dropped (docs: the table of fields).
 */
function refuseForeign(body: Record<string, unknown>): void {
  const servers = optional(body, "mcp_servers", "array") ?? [];
  if (servers.length > 0)
    refuse(
      "mcp_servers",
      "'mcp_servers' has no equivalent for this model. Call the servers from your own code.",
    );
}

function readRequest(body: Record<string, unknown>): NeutralRequest {
  refuseForeign(body);
  const metadata = optional(body, "metadata", "object") ?? {};
  return {
    system: readSystemContent(body["system"] ?? "", "system"),
    turns: readTurns(body),
    tools: readTools(body),
    toolChoice: readToolChoice(body),
    parallelToolCalls: readParallelToolCalls(body),
    maxTokens: optional(body, "max_tokens", "number"),
    temperature: optional(body, "temperature", "number"),
    topP: optional(body, "top_p", "number"),
    topK: optional(body, "top_k", "number"),
    stop: readStop(body),
    format: readFormat(body),
    reasoning: readReasoning(body),
    user: optional(metadata, "user_id", "string", "metadata"),
  };
}

/**
 * `body` is a validated Messages request; what the validation does not type may be of any type
 * here. Refused, by the path of the field, is what has no equivalent: the vendor's own tools, MCP
 * servers, files by id, documents by address, and blocks that such tools made.
 */
export function readNeutral(body: Record<string, unknown>): NeutralReading {
  try {
    return { ok: true, request: readRequest(body) };
  } catch (thrown) {
    if (thrown instanceof Fault) return { ok: false, fault: thrown };
    throw thrown;
  }
}
