/** Writes a neutral request as a Responses request, for an upstream of this protocol. */
import { LEAST_OUTPUT_LIMIT } from "../../kernel/limits.ts";
import { Fault } from "../../kernel/faults.ts";
import type {
  AnswerFormat,
  NeutralRequest,
  NeutralTool,
  Reasoning,
  RequestTarget,
  RequestWriting,
  ToolChoice,
} from "../neutral/neutral-request.ts";
import { refuseField } from "../openai/refuse-field.ts";
import { isStrictSchema } from "../openai/strict-schema.ts";
import { writeInput } from "./write-input.ts";

type Fields = Record<string, unknown>;

const NO_ARGUMENTS: Fields = { type: "object", properties: {} };

/** Its fields that are not null. */
function given(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/** A function is strict here unless the request says otherwise; only its caller can ask for it. */
function writeTool({ name, description, schema, strict }: NeutralTool): Fields {
  return given({
    type: "function",
    name,
    description,
    parameters: schema ?? NO_ARGUMENTS,
    strict: strict === true && isStrictSchema(schema),
  });
}

function writeChoice(choice: ToolChoice | null): unknown {
  return choice?.kind === "tool" ? { type: "function", name: choice.name } : (choice?.kind ?? null);
}

/** Without tools there is nothing to choose from. */
function writeTools({ tools, toolChoice, parallelToolCalls }: NeutralRequest): Fields {
  if (tools.length === 0) return {};
  return {
    tools: tools.map(writeTool),
    tool_choice: writeChoice(toolChoice),
    parallel_tool_calls: parallelToolCalls,
  };
}

function writeFormat(format: AnswerFormat | null): Fields | null {
  if (format === null) return null;
  const { name, description, schema, strict } = format;
  if (schema === null) return { format: { type: "json_object" } };
  return {
    format: given({
      type: "json_schema",
      // The name is not optional here.
      name: name ?? "answer",
      description,
      schema,
      strict: strict === true && !isStrictSchema(schema) ? null : strict,
    }),
  };
}

/** The grades that every reasoning upstream knows. */
function commonEffort(effort: string | null): string | null {
  return effort === "xhigh" || effort === "max" ? "high" : effort;
}

function effortOf(reasoning: Reasoning, target: RequestTarget): string | null {
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

/** Whether the model thinks, as far as that is known or taken for granted by the caller. */
function thinks({ reasoning }: NeutralRequest, target: RequestTarget): boolean {
  if (target.reasoning !== null) return target.reasoning !== false;
  return (
    reasoning?.kind === "budget" || (reasoning?.kind === "effort" && reasoning.effort !== "none")
  );
}

/**
 * A summary is all that this protocol shows of the reasoning, and comes only where it is asked for.
 * A model that does not think refuses to be told how hard.
 */
function writeReasoning({ reasoning }: NeutralRequest, target: RequestTarget): Fields | null {
  if (reasoning === null || reasoning.kind === "off" || target.reasoning === false) return null;
  const effort = effortOf(reasoning, target);
  const shown = effort !== "none" && (effort !== null || target.reasoning !== null);
  if (effort === null && !shown) return null;
  return given({ effort, summary: shown ? "auto" : null });
}

/** Models that think refuse to be told how to choose their words. */
function writeSampling({ temperature, topP }: NeutralRequest, thinking: boolean): Fields {
  return thinking ? {} : { temperature, top_p: topP };
}

/** The vendor refuses a smaller limit. */
function writeLimit(maxTokens: number | null, { maxOutputTokens }: RequestTarget): number | null {
  return maxTokens === null
    ? null
    : Math.max(Math.min(maxTokens, maxOutputTokens), LEAST_OUTPUT_LIMIT);
}

/** One left out would let the answer run on past where its caller reads it to end. */
function refuseStop(stop: readonly string[]): void {
  if (stop.length > 0)
    throw refuseField(
      "stop",
      "(Messages: 'stop_sequences') has no equivalent in the protocol of this model's upstream: leave it out",
    );
}

/** OpenAI's limit for `user`; agents put whole JSON texts there. */
const USER_CHARACTERS = 64;

function bodyOf(request: NeutralRequest, target: RequestTarget): Fields {
  const { maxTokens, stop, format, user } = request;
  refuseStop(stop);
  const thinking = thinks(request, target);
  return given({
    model: target.model,
    ...writeInput(request, thinking),
    ...writeTools(request),
    max_output_tokens: writeLimit(maxTokens, target),
    ...writeSampling(request, thinking),
    text: writeFormat(format),
    reasoning: writeReasoning(request, target),
    include: thinking ? ["reasoning.encrypted_content"] : null,
    user: user === null || user.length > USER_CHARACTERS ? null : user,
    store: false,
    stream: target.stream,
  });
}

/**
 * Nothing is kept at the upstream, where all callers are one account; what it has to remember of its
 * reasoning comes sealed with the answer. Dropped, because this protocol has no place for them:
 * `topK`, cache marks (its upstreams cache by themselves), thinking that no upstream of it has
 * sealed. The fault is for what cannot be said at all.
 */
export function writeResponsesRequest(
  request: NeutralRequest,
  target: RequestTarget,
): RequestWriting {
  try {
    return { ok: true, body: Buffer.from(JSON.stringify(bodyOf(request, target))) };
  } catch (error) {
    if (error instanceof Fault) return { ok: false, fault: error };
    throw error;
  }
}
