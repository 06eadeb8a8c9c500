/** Reads a chat completions request into the neutral shape, for an upstream of another protocol. */
import { Fault } from "../../kernel/faults.ts";
import { isRecord } from "../json/is-record.ts";
import type {
  AnswerFormat,
  NeutralReading,
  NeutralRequest,
  Reasoning,
} from "../neutral/neutral-request.ts";
import { readTools } from "./read-tools.ts";
import { readTurns } from "./read-turns.ts";
import { isPresent, refuseField } from "./refuse-field.ts";

type Body = Record<string, unknown>;

function optionalNumber(body: Body, field: string): number | null {
  const value = body[field];
  if (!isPresent(value)) return null;
  if (typeof value !== "number") throw refuseField(field, "must be a number or null");
  return value;
}

function optionalString(body: Body, field: string): string | null {
  const value = body[field];
  if (!isPresent(value)) return null;
  if (typeof value !== "string") throw refuseField(field, "must be a string or null");
  return value;
}

function refuseWithoutEquivalent(body: Body): void {
  const { n, functions } = body;
  if (typeof n === "number" && n > 1) throw refuseField("n", "must be 1 for this model");
  const legacy = Array.isArray(functions) && functions.length === 0 ? [] : ["functions"];
  for (const field of [...legacy, "function_call"]) {
    if (isPresent(body[field]))
      throw refuseField(field, "is not taken for this model: send 'tools' and 'tool_choice'");
  }
  if (isPresent(body["web_search_options"]))
    throw refuseField(
      "web_search_options",
      "is not taken for this model: it does not search the web",
    );
}

function readStop(stop: unknown): string[] {
  if (!isPresent(stop)) return [];
  if (typeof stop === "string") return [stop];
  if (!Array.isArray(stop)) throw refuseField("stop", "must be a string, an array or null");
  return stop.map((text: unknown, index) => {
    if (typeof text !== "string") throw refuseField(`stop[${index}]`, "must be a string");
    return text;
  });
}

function readFormat(format: unknown): AnswerFormat | null {
  if (!isPresent(format)) return null;
  const type = isRecord(format) ? format["type"] : undefined;
  if (type === "text") return null;
  if (type === "json_object") return { name: null, description: null, schema: null, strict: null };
  if (!isRecord(format) || type !== "json_schema") {
    throw refuseField(
      "response_format",
      "must be of type text, json_object or json_schema for this model",
    );
  }
  const described = format["json_schema"];
  const { name, description, schema, strict } = isRecord(described) ? described : {};
  if (!isRecord(described) || (isPresent(schema) && !isRecord(schema))) {
    throw refuseField(
      isRecord(described) ? "response_format.json_schema.schema" : "response_format.json_schema",
      "must be an object",
    );
  }
  return {
    name: typeof name === "string" ? name : null,
    description: typeof description === "string" ? description : null,
    schema: isRecord(schema) ? schema : null,
    strict: typeof strict === "boolean" ? strict : null,
  };
}

/**
 * `thinking` is no field of this protocol, but Anthropic's own compatibility layer takes it, so
 * clients send it.
 */
function readReasoning(body: Body): Reasoning | null {
  const effort = optionalString(body, "reasoning_effort");
  const { thinking } = body;
  if (!isPresent(thinking)) return effort === null ? null : { kind: "effort", effort };
  const { type, budget_tokens: tokens } = isRecord(thinking) ? thinking : {};
  if (type === "disabled") return { kind: "off" };
  if (type === "adaptive") return { kind: "adaptive", effort };
  if (type !== "enabled")
    throw refuseField("thinking", "must be of type enabled, adaptive or disabled");
  return typeof tokens === "number"
    ? { kind: "budget", tokens }
    : { kind: "effort", effort: effort ?? "medium" };
}

function requestOf(body: Body): NeutralRequest {
  refuseWithoutEquivalent(body);
  const { messages, parallel_tool_calls: parallel } = body;
  const { system, turns } = readTurns(Array.isArray(messages) ? messages : []);
  const { tools, choice } = readTools(body["tools"], body["tool_choice"]);
  return {
    system,
    turns,
    tools,
    toolChoice: choice,
    parallelToolCalls: typeof parallel === "boolean" ? parallel : null,
    maxTokens: optionalNumber(body, "max_completion_tokens") ?? optionalNumber(body, "max_tokens"),
    temperature: optionalNumber(body, "temperature"),
    topP: optionalNumber(body, "top_p"),
    topK: null,
    stop: readStop(body["stop"]),
    format: readFormat(body["response_format"]),
    reasoning: readReasoning(body),
    user: optionalString(body, "user") ?? optionalString(body, "safety_identifier"),
  };
}

/**
 * `body` has passed contract/chat-request.ts. What has no equivalent is refused where its loss
 * would change the answer, by the name of its field, and dropped where Anthropic's own
 * compatibility layer for this protocol drops it (docs/protocols.md has the table).
 */
export function readNeutral(body: Body): NeutralReading {
  try {
    return { ok: true, request: requestOf(body) };
  } catch (error) {
    if (error instanceof Fault) return { ok: false, fault: error };
    throw error;
  }
}
