/**
 * Holds the JSON that the public API answers against what `/openapi.json` says of it, in whatever
 * process imports this: another shape, or a field that is not described, ends the process. Chats go
 * another way: the bytes of an upstream are its own.
 */
import { subscribe } from "node:diagnostics_channel";
import type { TSchema } from "typebox";
import {
  AnthropicErrorBody,
  OpenAiErrorBody,
  TaskErrorBody,
} from "../../src/contract/error-bodies.ts";
import { createMistakeFinder } from "../../src/contract/find-mistakes.ts";
import type { AnnouncedAnswer } from "../../src/http/announce-answer.ts";
import type { RouteDescription } from "../../src/http/route.ts";
import { createAnswerCheck, endByFault } from "./answer-check.ts";

const ERRORS = { openai: OpenAiErrorBody, anthropic: AnthropicErrorBody, tasks: TaskErrorBody };

const checks = new WeakMap<TSchema, (json: unknown) => string | null>();

/** What is wrong with an answer; null: nothing. */
export function apiAnswerFault(announced: AnnouncedAnswer): string | null {
  if (announced.kind === "fault") {
    const { family, body } = announced;
    return family === "panel" ? null : errorFault(family, body);
  }
  const { name, doc, status, json } = announced;
  const schema = schemaOf(doc, status);
  return schema === undefined
    ? `${name} answers ${status} with JSON, which is not described`
    : faultOf(`the answer of ${name}`, schema, JSON.stringify(json));
}

/** A field more may be an upstream's own. */
function errorFault(family: keyof typeof ERRORS, body: string): string | null {
  const mistakes = createMistakeFinder(ERRORS[family])(JSON.parse(body));
  const words = mistakes.map(({ message }) => message).join("; ");
  return words === "" ? null : `an error of ${family} is not as it is described: ${words}`;
}

function schemaOf({ responses }: RouteDescription, status: number): TSchema | undefined {
  return responses[status]?.content["application/json"];
}

function faultOf(what: string, schema: TSchema, body: string): string | null {
  let check = checks.get(schema);
  if (check === undefined) {
    check = createAnswerCheck(schema);
    checks.set(schema, check);
  }
  const fault = check(JSON.parse(body));
  return fault === null ? null : `${what} is not as it is described: ${fault}`;
}

subscribe("tollgate.api.answer", (message) =>
  endByFault(apiAnswerFault(message as AnnouncedAnswer)),
);
