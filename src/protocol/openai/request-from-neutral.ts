/** Writes a neutral request as a chat completions request, for an upstream of this protocol. */
import { Fault } from "../../kernel/faults.ts";
import type {
  AnswerFormat,
  NeutralRequest,
  NeutralTool,
  NeutralTurn,
  Reasoning,
  RequestTarget,
  RequestWriting,
  ToolChoice,
} from "../neutral/neutral-request.ts";
import { refuseField } from "./refuse-field.ts";
import { isStrictSchema } from "./strict-schema.ts";
import { writeMessages } from "./write-messages.ts";

type Fields = Record<string, unknown>;

/**
 * Its fields that are not null; JSON has no other way to say "not set" that every upstream takes.
 */
function given(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/**
 * A promise that cannot be asked for is not: the schema is still there, and the model keeps to it
 * as well as it can.
 */
function strictly(strict: boolean | null, schema: Fields | null): boolean | null {
  return strict === true && !isStrictSchema(schema) ? null : strict;
}

function writeTool({ name, description, schema, strict }: NeutralTool): Fields {
  return {
    type: "function",
    function: given({ name, description, parameters: schema, strict: strictly(strict, schema) }),
  };
}

function writeChoice(choice: ToolChoice | null): unknown {
  return choice?.kind === "tool"
    ? { type: "function", function: { name: choice.name } }
    : (choice?.kind ?? null);
}

/** Upstreams refuse both of the others where there is no tool. */
function writeTools({ tools, toolChoice, parallelToolCalls }: NeutralRequest): Fields {
  if (tools.length === 0) return {};
  return {
    tools: tools.map(writeTool),
    tool_choice: writeChoice(toolChoice),
    parallel_tool_calls: parallelToolCalls,
  };
}

function writeLimit(
  maxTokens: number | null,
  { maxOutputTokens, reasoning }: RequestTarget,
): Fields {
  if (maxTokens === null) return {};
  // Reasoning models know only the newer name, many other upstreams only the older.
  return {
    [reasoning === true || reasoning === "adaptive" ? "max_completion_tokens" : "max_tokens"]:
      Math.min(maxTokens, maxOutputTokens),
  };
}

function writeFormat(format: AnswerFormat | null): Fields | null {
  if (format === null) return null;
  const { name, description, schema, strict } = format;
  if (schema === null) return { type: "json_object" };
  // The name is not optional here.
  return {
    type: "json_schema",
    json_schema: given({
      name: name ?? "answer",
      description,
      schema,
      strict: strictly(strict, schema),
    }),
  };
}

/** OpenAI's limit for `stop`: https://platform.openai.com/docs/api-reference/chat/create. */
const STOPS = 4;

/**
 * One left out would let the answer run on past where its caller reads it to end. Only Messages are
 * written here: they are told in their own word.
 */
function writeStop(stop: readonly string[]): readonly string[] | null {
  if (stop.length > STOPS)
    throw refuseField("stop_sequences", `can hold at most ${STOPS} texts for this model`);
  return stop.length === 0 ? null : stop;
}

/** OpenAI's limit for `user`; agents put whole JSON texts there. */
const USER_CHARACTERS = 64;

/**
 * The grades that every reasoning upstream knows: a higher one than it has would fail the request.
 */
function commonEffort(effort: string | null): string | null {
  return effort === "xhigh" || effort === "max" ? "high" : effort;
}

/**
 * Models that do not think refuse to be told how hard. Where it is not known whether this one does,
 * the caller's own word counts, but not one that leaves it to the model: agents send that whatever
 * the model.
 */
function writeEffort(reasoning: Reasoning | null, target: RequestTarget): string | null {
  if (reasoning === null || target.reasoning === false) return null;
  switch (reasoning.kind) {
    case "off":
      return null;
    case "effort":
      return commonEffort(reasoning.effort);
    case "adaptive":
      return target.reasoning === null ? null : commonEffort(reasoning.effort);
    case "budget":
      if (reasoning.tokens < 4096) return "low";
      return reasoning.tokens < 16_384 ? "medium" : "high";
  }
}

/** A model that does not think may refuse what another thought. */
function withoutThinking(turn: NeutralTurn): NeutralTurn {
  if (turn.role !== "assistant") return turn;
  return {
    role: "assistant",
    parts: turn.parts.filter(({ kind }) => kind !== "thinking" && kind !== "redacted-thinking"),
  };
}

function bodyOf(request: NeutralRequest, target: RequestTarget): Fields {
  const { maxTokens, temperature, topP, stop, format, reasoning, user } = request;
  return given({
    model: target.model,
    messages: writeMessages({
      system: request.system,
      turns: target.reasoning === false ? request.turns.map(withoutThinking) : request.turns,
    }),
    ...writeTools(request),
    ...writeLimit(maxTokens, target),
    temperature,
    top_p: topP,
    stop: writeStop(stop),
    response_format: writeFormat(format),
    reasoning_effort: writeEffort(reasoning, target),
    user: user === null || user.length > USER_CHARACTERS ? null : user,
    stream: target.stream,
    stream_options: target.stream && target.refusesUsage !== true ? { include_usage: true } : null,
  });
}

/**
 * Dropped, because this protocol has no place for them: `topK`, cache marks (its upstreams cache by
 * themselves), seals of thinking and redacted thinking. The fault is for what cannot be said at
 * all.
 */
export function writeChatRequest(request: NeutralRequest, target: RequestTarget): RequestWriting {
  try {
    return { ok: true, body: Buffer.from(JSON.stringify(bodyOf(request, target))) };
  } catch (error) {
    if (error instanceof Fault) return { ok: false, fault: error };
    throw error;
  }
}
