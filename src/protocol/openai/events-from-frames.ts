/** Reads the answer of an OpenAI-protocol upstream, streamed or whole, into neutral events. */
import type { Frame } from "../chat-dialect.ts";
import { isRecord } from "../json/is-record.ts";
import type { FinishReason, NeutralEvent } from "../neutral/neutral-event.ts";
import { repeatEvents } from "../repeat-events.ts";
import { answerPieces, type AnswerPiece } from "./answer-pieces.ts";
import { isFailedFinish } from "./failed-finish.ts";
import { createToolCallReader } from "./tool-call-reader.ts";

/** What is said is added to `events`. */
interface AnswerReader {
  read(data: Record<string, unknown>, events: NeutralEvent[]): void;
  /** What a whole answer has left to say where it gives no finish reason. */
  flush(events: NeutralEvent[]): void;
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
    if (calls.started() > 0) return finish("tool-calls");
    if (said.has("refusal")) return finish("refusal");
    // vLLM's word for the stop sequence that was hit; a number is a token of the model's own.
    return typeof stopReason === "string" && stopReason !== "" ? finish("stop-sequence", stopReason) : finish("stop");
  }

  /** A whole message after deltas repeats them, so only what they have not said counts. */
  function readPart(part: Record<string, unknown>, repeats: boolean, events: NeutralEvent[]): void {
    const pieces = answerPieces(part);
    for (const piece of pieces) if (!repeats || !said.has(piece.kind)) events.push(piece);
    for (const { kind } of pieces) said.add(kind);
    if (repeats && calls.started() > 0) return;
    const { tool_calls: toolCalls, function_call: functionCall } = part;
    if (Array.isArray(toolCalls) && toolCalls.length > 0) calls.read(toolCalls, events);
    else if (isRecord(functionCall)) calls.read([{ index: 0, function: functionCall }], events);
  }

  function readChoice(choice: Record<string, unknown>, events: NeutralEvent[]): void {
    const { delta, message, finish_reason: reason } = choice;
    if (isRecord(delta)) readPart(delta, false, events);
    if (isRecord(message)) readPart(message, said.size > 0 || calls.started() > 0, events);
    if (typeof reason !== "string" || reason === "" || isFailedFinish(reason)) return;
    finished = true;
    calls.flush(events);
    events.push(finishOf(reason, choice["stop_reason"]));
  }

  return {
    read(data, events) {
      if (id === null && typeof data["id"] === "string" && data["id"] !== "") ({ id } = data);
      if (model === null && typeof data["model"] === "string" && data["model"] !== "") ({ model } = data);
      const choices: unknown = data["choices"];
      if (!Array.isArray(choices)) return;
      for (const [position, choice] of choices.entries()) {
        if (finished || !isRecord(choice) || (typeof choice["index"] === "number" ? choice["index"] : position) !== 0) continue;
        if (!begun) events.push({ kind: "start", id, model });
        begun = true;
        readChoice(choice, events);
      }
    },
    flush(events) {
      if (!finished) calls.flush(events);
    },
  };
}

/**
 * Reads one stream. Only the first choice counts, since only one was asked for; what comes after its finish reason is not read. Nothing
 * that an upstream sends makes it throw.
 */
export function createEventReader(): (frame: Frame) => NeutralEvent[] {
  const reader = createAnswerReader();
  return repeatEvents(({ kind, payload }) => {
    const events: NeutralEvent[] = [];
    if (kind === "data" && payload !== null) reader.read(payload, events);
    return events;
  });
}

/** `data` is a whole `chat.completion`. */
export function answerEvents(data: Record<string, unknown>): NeutralEvent[] {
  const reader = createAnswerReader();
  const events: NeutralEvent[] = [];
  reader.read(data, events);
  reader.flush(events);
  return events;
}
