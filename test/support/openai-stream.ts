/**
 * Builds answers of an openai upstream for scripts: streams as one buffer per event, and whole
 * completions.
 */
import { sseEvent } from "./sse-event.ts";

export interface OpenAiAnswer {
  readonly id?: string;
  readonly model?: string;
  readonly created?: number;
  /** Content deltas, in order. */
  readonly pieces?: readonly string[];
  /** `reasoning_content` deltas, before the content. */
  readonly reasoning?: readonly string[];
  /**
   * Tool calls, each with its argument text in pieces. Their deltas are interleaved, as parallel
   * calls may be.
   */
  readonly toolCalls?: readonly {
    readonly id: string;
    readonly name: string;
    readonly arguments: readonly string[];
  }[];
  /** The usage object, as it shall stand on the wire; absent: no usage anywhere. */
  readonly usage?: unknown;
  /** Null leaves the finish out. Default: tool_calls where there are calls, else stop. */
  readonly finishReason?: string | null;
  /** How many choices say the same; default 1. */
  readonly n?: number;
  /** False leaves `[DONE]` out. */
  readonly done?: boolean;
}

type Delta = Record<string, unknown>;

/** One chunk event with these choices and, where given, a usage member. */
export function openAiChunk(
  answer: OpenAiAnswer,
  choices: readonly unknown[],
  usage?: unknown,
): Buffer {
  return sseEvent({
    id: answer.id ?? "chatcmpl-scripted",
    object: "chat.completion.chunk",
    created: answer.created ?? 1_790_000_000,
    model: answer.model ?? "scripted",
    choices,
    ...(usage === undefined ? {} : { usage }),
  });
}

/**
 * The events of a stream: role, reasoning, content, tool calls, finish, usage with empty choices,
 * `[DONE]`.
 */
export function openAiStream(answer: OpenAiAnswer): Buffer[] {
  const finish = answer.finishReason === undefined ? defaultFinish(answer) : answer.finishReason;
  const placeholder = answer.usage === undefined ? undefined : null;
  const events: Buffer[] = [];
  const push = (delta: Delta, finishReason: string | null = null): void => {
    for (let index = 0; index < (answer.n ?? 1); index++) {
      events.push(
        openAiChunk(
          answer,
          [{ index, delta, logprobs: null, finish_reason: finishReason }],
          placeholder,
        ),
      );
    }
  };
  push({ role: "assistant", content: "" });
  for (const piece of answer.reasoning ?? []) push({ reasoning_content: piece });
  for (const piece of answer.pieces ?? []) push({ content: piece });
  for (const delta of toolCallDeltas(answer.toolCalls ?? [])) push({ tool_calls: [delta] });
  if (finish !== null) push({}, finish);
  if (answer.usage !== undefined) events.push(openAiChunk(answer, [], answer.usage));
  if (answer.done !== false) events.push(sseEvent("[DONE]"));
  return events;
}

/** The non-streamed form of the same answer. */
export function openAiCompletion(answer: OpenAiAnswer): Record<string, unknown> {
  const calls = (answer.toolCalls ?? []).map((call) => ({
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: call.arguments.join("") },
  }));
  const reasoning = (answer.reasoning ?? []).join("");
  const message = {
    role: "assistant",
    content: answer.pieces === undefined ? null : answer.pieces.join(""),
    refusal: null,
    ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  const finish = answer.finishReason === undefined ? defaultFinish(answer) : answer.finishReason;
  return {
    id: answer.id ?? "chatcmpl-scripted",
    object: "chat.completion",
    created: answer.created ?? 1_790_000_000,
    model: answer.model ?? "scripted",
    choices: Array.from({ length: answer.n ?? 1 }, (_, index) => ({
      index,
      message,
      logprobs: null,
      finish_reason: finish,
    })),
    ...(answer.usage === undefined ? {} : { usage: answer.usage }),
  };
}

function defaultFinish(answer: OpenAiAnswer): string {
  return (answer.toolCalls ?? []).length > 0 ? "tool_calls" : "stop";
}

/** First every call's head, then the argument pieces in turn: call 0, call 1, call 0 … */
function toolCallDeltas(calls: NonNullable<OpenAiAnswer["toolCalls"]>): Delta[] {
  const heads = calls.map((call, index) => ({
    index,
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: "" },
  }));
  const longest = Math.max(0, ...calls.map((call) => call.arguments.length));
  const pieces: Delta[] = [];
  for (let at = 0; at < longest; at++) {
    for (const [index, call] of calls.entries()) {
      const piece = call.arguments[at];
      if (piece !== undefined) pieces.push({ index, function: { arguments: piece } });
    }
  }
  return [...heads, ...pieces];
}
