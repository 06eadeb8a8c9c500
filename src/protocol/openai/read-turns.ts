/**
 * Reads the messages of a chat request as turns: the instructions before them, users, assistants,
 * results of tools.
 */
import { isRecord } from "../json/is-record.ts";
import type {
  AssistantPart,
  NeutralTurn,
  TextPart,
  ToolResult,
  UserPart,
} from "../neutral/neutral-request.ts";
import { argumentsText } from "./generated-text.ts";
import {
  readCacheMark,
  readParts,
  readTextPart,
  readUserPart,
  type PartReader,
} from "./read-parts.ts";
import { readReasoning } from "./reasoning-details.ts";
import { isPresent, refuseField } from "./refuse-field.ts";

export interface Conversation {
  readonly system: readonly TextPart[];
  readonly turns: readonly NeutralTurn[];
}

const readAssistantPart: PartReader<AssistantPart> = (part, param) => {
  if (part["type"] !== "refusal") return readTextPart(part, param);
  const { refusal } = part;
  if (typeof refusal !== "string") throw refuseField(`${param}.refusal`, "must be a string");
  return refusal === "" ? null : { kind: "refusal", text: refusal };
};

function readToolCall(call: unknown, param: string): AssistantPart {
  if (!isRecord(call)) throw refuseField(param, "must be an object");
  const { id, type } = call;
  if (isPresent(type) && type !== "function")
    throw refuseField(param, "must be of type function for this model");
  if (typeof id !== "string" || id === "") throw refuseField(`${param}.id`, "is required");
  const called = isRecord(call["function"]) ? call["function"] : {};
  const { name } = called;
  if (typeof name !== "string" || name === "")
    throw refuseField(`${param}.function.name`, "is required");
  return {
    kind: "tool-call",
    id,
    name,
    arguments: argumentsText(called["arguments"]),
    cache: readCacheMark(call),
  };
}

function readAssistant(message: Record<string, unknown>, param: string): AssistantPart[] {
  if (isPresent(message["function_call"]))
    throw refuseField(`${param}.function_call`, "is not taken for this model: send 'tool_calls'");
  const { refusal, tool_calls: calls } = message;
  return [
    ...readReasoning(message),
    ...readParts(message["content"], `${param}.content`, readAssistantPart),
    ...(typeof refusal === "string" && refusal !== ""
      ? [{ kind: "refusal", text: refusal } as const]
      : []),
    ...(Array.isArray(calls)
      ? calls.map((call: unknown, index) => readToolCall(call, `${param}.tool_calls[${index}]`))
      : []),
  ];
}

function readToolResult(message: Record<string, unknown>, param: string): ToolResult {
  const callId = message["tool_call_id"];
  if (typeof callId !== "string" || callId === "")
    throw refuseField(`${param}.tool_call_id`, "is required");
  return {
    callId,
    parts: readParts<UserPart>(message["content"], `${param}.content`, readUserPart),
    isError: false,
    cache: readCacheMark(message),
  };
}

/**
 * Instructions before the first other message are the conversation's; later ones stay where they
 * are. Neighbouring results of tools are one turn. Messages that say nothing are left out. Names of
 * speakers have no equivalent and are dropped.
 */
export function readTurns(messages: readonly unknown[]): Conversation {
  const system: TextPart[] = [];
  const turns: NeutralTurn[] = [];
  let results: ToolResult[] | null = null;

  function add<Part>(parts: readonly Part[], turn: NeutralTurn): void {
    results = null;
    if (parts.length > 0) turns.push(turn);
  }

  for (const [index, message] of messages.entries()) {
    const param = `messages[${index}]`;
    if (!isRecord(message)) throw refuseField(param, "must be an object");
    switch (message["role"]) {
      case "system":
      case "developer": {
        const parts = readParts<TextPart>(message["content"], `${param}.content`, readTextPart);
        if (turns.length > 0) add(parts, { role: "system", parts });
        // One by one: a message may have more parts than a function may have arguments.
        else for (const part of parts) system.push(part);
        break;
      }
      case "user": {
        const parts = readParts<UserPart>(message["content"], `${param}.content`, readUserPart);
        add(parts, { role: "user", parts });
        break;
      }
      case "assistant": {
        const parts = readAssistant(message, param);
        add(parts, { role: "assistant", parts });
        break;
      }
      case "tool": {
        if (results === null) {
          results = [];
          turns.push({ role: "tool-results", results });
        }
        results.push(readToolResult(message, param));
        break;
      }
      default:
        throw refuseField(
          `${param}.role`,
          "must be system, developer, user, assistant or tool for this model",
        );
    }
  }
  return { system, turns };
}
