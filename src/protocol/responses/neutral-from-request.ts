/** Reads a Responses request into the neutral shape, for an upstream of another protocol. */
import { Fault } from "../../kernel/faults.ts";
import type { AccountSeal } from "../account-seal.ts";
import { isRecord } from "../json/is-record.ts";
import type {
  AnswerFormat,
  NeutralReading,
  NeutralRequest,
  Reasoning,
} from "../neutral/neutral-request.ts";
import { isPresent, refuseField } from "../openai/refuse-field.ts";
import { readInstructions } from "./read-content.ts";
import { readItems } from "./read-items.ts";
import { readTools, selectTools } from "./read-tools.ts";

type Body = Record<string, unknown>;

function optionalNumber(body: Body, field: string): number | null {
  const value = body[field];
  if (!isPresent(value)) return null;
  if (typeof value !== "number") throw refuseField(field, "must be a number or null");
  return value;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function readFormat(text: unknown): AnswerFormat | null {
  const format = isRecord(text) ? text["format"] : undefined;
  if (!isPresent(format)) return null;
  const { type, name, description, schema, strict } = isRecord(format) ? format : {};
  if (type === "text") return null;
  if (type === "json_object") return { name: null, description: null, schema: null, strict: null };
  if (type !== "json_schema")
    throw refuseField("text.format", "must be of type text, json_object or json_schema");
  if (isPresent(schema) && !isRecord(schema))
    throw refuseField("text.format.schema", "must be an object");
  return {
    name: textOf(name),
    description: textOf(description),
    schema: isRecord(schema) ? schema : null,
    strict: typeof strict === "boolean" ? strict : null,
  };
}

function readEffort(reasoning: unknown): Reasoning | null {
  const effort = isRecord(reasoning) ? textOf(reasoning["effort"]) : null;
  return effort === null ? null : { kind: "effort", effort };
}

function requestOf(body: Body, seal: AccountSeal | null): NeutralRequest {
  const { instructions, parallel_tool_calls: parallel } = body;
  const { system, turns, found } = readItems(body["input"], seal);
  const { tools, choice } = selectTools(body["tool_choice"], readTools(body["tools"], found));
  return {
    system: [...readInstructions(instructions, "instructions"), ...system],
    turns,
    tools,
    toolChoice: choice,
    parallelToolCalls: typeof parallel === "boolean" ? parallel : null,
    maxTokens: optionalNumber(body, "max_output_tokens"),
    temperature: optionalNumber(body, "temperature"),
    topP: optionalNumber(body, "top_p"),
    topK: null,
    stop: [],
    format: readFormat(body["text"]),
    reasoning: readEffort(body["reasoning"]),
    user: textOf(body["user"]) ?? textOf(body["safety_identifier"]),
  };
}

/**
 * `body` has passed contract/responses-request.ts. What has no equivalent is refused where its loss
 * would change the answer, by the name of its field; what clients send unasked is dropped
 * (docs/protocols.md has the table). `seal`: null where nothing sealed can be read.
 */
export function readNeutral(body: Body, seal: AccountSeal | null): NeutralReading {
  try {
    return { ok: true, request: requestOf(body, seal) };
  } catch (error) {
    if (error instanceof Fault) return { ok: false, fault: error };
    throw error;
  }
}
