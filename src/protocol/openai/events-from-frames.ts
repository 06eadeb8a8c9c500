/** Reads the answer of an OpenAI-protocol upstream, streamed or whole, into neutral events. */
import type { Frame } from "../chat-dialect.ts";
import { isRecord } from "../json/is-record.ts";
import type { FinishReason, NeutralEvent } from "../neutral/neutral-event.ts";
import { answerPieces, type AnswerPiece } from "./answer-pieces.ts";
import { isFailedFinish } from "./failed-finish.ts";
import { createToolCallReader } from "./tool-call-reader.ts";

interface AnswerReader {
  read(data: Record<string, unknown>): NeutralEvent[];
  /** What a whole answer has left to say where it gives no finish reason. */
  flush(): NeutralEvent[];
}

/** Characters that every protocol allows in the id of a call, and no more than fit into one. */
function slug(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_-]/g, "").slice(0, 40);
}

function createAnswerReader(): AnswerReader {
  let id: string | null = null;
  let model: string | null = null;
  let begun = false;
  let finished = false;
  const said = new Set<AnswerPiece["kind"]>();
  const calls = createToolCallReader((number) => `call_${slug(id ?? "")}${number}`);

  /** "stop" is also said after a tool that had to be called; "tool_calls" is worth nothing without a call. */
  function finishOf(reason: string, stopReason: unknown): NeutralEvent {
    const finish = (ended: FinishReason, stopSequence: string | null = null): NeutralEvent => ({
      kind: "finish",
      reason: ended,
      stopSequence,
    });
    if (reason === "length") return finish("length");
    if (reason === "content_filter") return finish("refusal");
    if (calls.started > 0) return finish("tool-calls");
    if (said.has("refusal")) return finish("refusal");
    // vLLM's word for the stop sequence that was hit; a number is a token of the model's own.
    return typeof stopReason === "string" && stopReason !== "" ? finish("stop-sequence", stopReason) : finish("stop");
  }

  /** A whole message after deltas repeats them, so only what they have not said counts. */
  function readPart(part: Record<string, unknown>, repeats: boolean): NeutralEvent[] {
    const pieces = answerPieces(part).filter(({ kind }) => !(repeats && said.has(kind)));
    const { tool_calls: toolCalls, function_call: functionCall } = part;
    const list: unknown[] = Array.isArray(toolCalls) ? toolCalls : [];
    const legacy = list.length === 0 && isRecord(functionCall) ? [{ index: 0, function: functionCall }] : list;
    const called = repeats && calls.started > 0 ? [] : calls.read(legacy);
    for (const { kind } of pieces) said.add(kind);
    return [...pieces, ...called];
  }

  function readChoice(choice: Record<string, unknown>): NeutralEvent[] {
    const { delta, message, finish_reason: reason, stop_reason: stopReason } = choice;
    const events = [
      ...(isRecord(delta) ? readPart(delta, false) : []),
      ...(isRecord(message) ? readPart(message, said.size > 0 || calls.started > 0) : []),
    ];
    if (typeof reason !== "string" || reason === "" || isFailedFinish(reason)) return events;
    finished = true;
    const flushed = calls.flush();
    return [...events, ...flushed, finishOf(reason, stopReason)];
  }

  return {
    read(data) {
      if (id === null && typeof data["id"] === "string" && data["id"] !== "") ({ id } = data);
      if (model === null && typeof data["model"] === "string" && data["model"] !== "") ({ model } = data);
      const choices: unknown[] = Array.isArray(data["choices"]) ? data["choices"] : [];
      return choices.flatMap((choice, position) => {
        if (finished || !isRecord(choice) || (typeof choice["index"] === "number" ? choice["index"] : position) !== 0) return [];
        const start: NeutralEvent[] = begun ? [] : [{ kind: "start", id, model }];
        begun = true;
        return [...start, ...readChoice(choice)];
      });
    },
    flush: () => (finished ? [] : calls.flush()),
  };
}

/**
 * Reads one stream. Only the first choice counts, since only one was asked for; what comes after its finish reason is not read. Nothing
 * that an upstream sends makes it throw.
 */
export function createEventReader(): (frame: Frame) => NeutralEvent[] {
  const reader = createAnswerReader();
  return (frame) => (frame.kind === "data" && frame.payload !== null ? reader.read(frame.payload) : []);
}

/** `data` is a whole `chat.completion`. */
export function answerEvents(data: Record<string, unknown>): NeutralEvent[] {
  const reader = createAnswerReader();
  return [...reader.read(data), ...reader.flush()];
}
