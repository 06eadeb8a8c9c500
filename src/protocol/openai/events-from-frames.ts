/** Reads the answer of an OpenAI-protocol upstream, streamed or whole, into neutral events. */
import type { EventReader } from "../chat-dialect.ts";
import { isRecord } from "../json/is-record.ts";
import type { FinishReason, NeutralEvent } from "../neutral/neutral-event.ts";
import { repeatEvents } from "../repeat-events.ts";
import { answerPieces, type AnswerPiece } from "./answer-pieces.ts";
import { forcedEnd, isFailedFinish } from "./finish-words.ts";
import { createToolCallReader } from "./tool-call-reader.ts";

/** What is said is added to `events`. */
interface AnswerReader {
  read(data: Record<string, unknown>, events: NeutralEvent[]): void;
  /** What a whole answer has left to say where it gives no finish reason. */
  end(events: NeutralEvent[]): void;
}

/** Characters that every protocol allows in the id of a call, and no more than fit into one. */
function slug(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_-]/g, "").slice(0, 40);
}

function createAnswerReader(): AnswerReader {
  let id: string | null = null;
  let model: string | null = null;
  let begun = false;
  /** How the answer ended, as far as it has been said. */
  let end: { readonly reason: string; readonly stopReason: unknown } | null = null;
  /** No reason has been given for the end of all that was said. */
  let open = true;
  const seen = new Set<AnswerPiece["kind"]>();
  const calls = createToolCallReader((number) => `call_${slug(id ?? "")}${number}`);

  /**
   * "stop" is also said after a tool that had to be called; "tool_calls" is worth nothing without a
   * call.
   */
  function finishOf(reason: string, stopReason: unknown): NeutralEvent {
    const finish = (ended: FinishReason, stopSequence: string | null = null): NeutralEvent => ({
      kind: "finish",
      reason: ended,
      stopSequence,
    });
    const forced = forcedEnd(reason);
    if (forced !== null) return finish(forced);
    if (calls.started() > 0) return finish("tool-calls");
    if (seen.has("refusal")) return finish("refusal");
    // vLLM's word for the stop sequence that was hit; a number is a token of the model's own.
    return typeof stopReason === "string" && stopReason !== ""
      ? finish("stop-sequence", stopReason)
      : finish("stop");
  }

  /** A whole message after deltas repeats them, so only what they have not said counts. */
  function readPart(part: Record<string, unknown>, repeats: boolean, events: NeutralEvent[]): void {
    const pieces = answerPieces(part);
    for (const piece of pieces) if (!repeats || !seen.has(piece.kind)) events.push(piece);
    for (const { kind } of pieces) seen.add(kind);
    if (repeats && calls.started() > 0) return;
    const { tool_calls: toolCalls, function_call: functionCall } = part;
    if (Array.isArray(toolCalls) && toolCalls.length > 0) calls.read(toolCalls, events);
    else if (isRecord(functionCall)) calls.read([{ index: 0, function: functionCall }], events);
  }

  function readChoice(choice: Record<string, unknown>, events: NeutralEvent[]): void {
    const { delta, message, finish_reason: reason } = choice;
    const before = events.length;
    if (isRecord(delta)) readPart(delta, false, events);
    if (isRecord(message)) readPart(message, seen.size > 0 || calls.started() > 0, events);
    const more = events.length > before;
    open ||= more;
    const ends = open && typeof reason === "string" && reason !== "" && !isFailedFinish(reason);
    if (ends) {
      end = { reason, stopReason: choice["stop_reason"] };
      open = false;
    }
    // Some upstreams go on after a finish reason (SenseNova), or give one with every piece.
    if (end === null || !(more || ends)) return;
    calls.flush(events);
    events.push(finishOf(end.reason, end.stopReason));
  }

  return {
    read(data, events) {
      if (id === null && typeof data["id"] === "string" && data["id"] !== "") ({ id } = data);
      if (model === null && typeof data["model"] === "string" && data["model"] !== "")
        ({ model } = data);
      const choices: unknown = data["choices"];
      if (!Array.isArray(choices)) return;
      for (const [position, choice] of choices.entries()) {
        if (
          !isRecord(choice) ||
          (typeof choice["index"] === "number" ? choice["index"] : position) !== 0
        )
          continue;
        if (!begun) events.push({ kind: "start", id, model });
        begun = true;
        readChoice(choice, events);
      }
    },
    end(events) {
      if (end !== null) return;
      calls.flush(events);
      if (begun) events.push(finishOf("", null));
    },
  };
}

/**
 * Reads one stream. Only the first choice counts, since only one was asked for. What comes after
 * its finish reason is read too, and a finish follows it again. Nothing that an upstream sends
 * makes it throw.
 */
export function createEventReader(): EventReader {
  const reader = createAnswerReader();
  return repeatEvents((frame) => {
    const events: NeutralEvent[] = [];
    if (frame === null) reader.end(events);
    else if (frame.kind === "data" && frame.payload !== null) reader.read(frame.payload, events);
    return events;
  });
}

/** `data` is a whole `chat.completion`. */
export function answerEvents(data: Record<string, unknown>): NeutralEvent[] {
  const reader = createAnswerReader();
  const events: NeutralEvent[] = [];
  reader.read(data, events);
  reader.end(events);
  return events;
}
