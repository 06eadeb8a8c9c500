/** Writes an answer of another protocol as the chunks that OpenAI would have sent. */
import type { TokenUsage } from "../../kernel/token-usage.ts";
import type { AnswerIdentity, EventWriter, WireEvent } from "../chat-dialect.ts";
import type { FinishReason, NeutralEvent } from "../neutral/neutral-event.ts";
import { completionId } from "./completion-id.ts";
import { renderUsage } from "./read-usage.ts";
import { renderReasoningDetails } from "./reasoning-details.ts";
import { createReasoningRecord } from "./record-reasoning.ts";

const FINISH_REASONS = {
  stop: "stop",
  "stop-sequence": "stop",
  length: "length",
  "context-full": "length",
  "tool-calls": "tool_calls",
  refusal: "content_filter",
} as const satisfies Record<FinishReason, string>;

/**
 * A call as the caller has it: its place among the calls, and whether anything of its arguments has
 * been sent.
 */
interface SentCall {
  readonly index: number;
  empty: boolean;
}

/**
 * The first chunk carries the role, and an empty text where the answer begins with one, null where
 * it begins with something else. Text goes to `content`, thinking to `reasoning_content`; sealed
 * thinking is said once more, whole, in `reasoning_details` before the first call or the end,
 * because clients that put deltas together keep only the last of a field that they do not know.
 */
export function createChunkWriter(identity: AnswerIdentity): EventWriter {
  const { includeUsage, created } = identity;
  const calls = new Map<number, SentCall>();
  const reasoning = createReasoningRecord();
  let id = completionId(identity.requestId);
  let model = identity.answerModel ?? identity.model;
  let begun = false;
  let detailsSent = false;
  let refused = false;
  let finished = false;
  let ended = false;

  function chunk(choices: readonly object[], usage: object | null): WireEvent {
    // With include_usage every other chunk carries a null usage (OpenAI's rule).
    if (includeUsage)
      return { id, object: "chat.completion.chunk", created, model, choices, usage };
    return { id, object: "chat.completion.chunk", created, model, choices };
  }

  function deltaChunk(delta: object, finishReason: string | null = null): WireEvent {
    return chunk([{ index: 0, delta, logprobs: null, finish_reason: finishReason }], null);
  }

  function begin(content: "" | null, chunks: WireEvent[]): void {
    if (!begun) chunks.push(deltaChunk({ role: "assistant", content, refusal: null }));
    begun = true;
  }

  function say(delta: object, chunks: WireEvent[], content: "" | null = null): void {
    begin(content, chunks);
    chunks.push(deltaChunk(delta));
  }

  function sayDetails(chunks: WireEvent[]): void {
    const sealed = reasoning.sealed();
    if (detailsSent || sealed.length === 0) return;
    detailsSent = true;
    say({ reasoning_details: renderReasoningDetails(sealed) }, chunks);
  }

  function sayCall(
    event: Extract<NeutralEvent, { kind: "tool-start" }>,
    chunks: WireEvent[],
  ): void {
    const index = calls.size;
    calls.set(event.call, { index, empty: true });
    say(
      {
        tool_calls: [
          { index, id: event.id, type: "function", function: { name: event.name, arguments: "" } },
        ],
      },
      chunks,
    );
  }

  function sayArguments(call: SentCall | undefined, json: string, chunks: WireEvent[]): void {
    if (call === undefined || json === "") return;
    call.empty = false;
    say({ tool_calls: [{ index: call.index, function: { arguments: json } }] }, chunks);
  }

  /**
   * A call without arguments has an empty object of them here; one that was cut off has none, so
   * that no caller makes it by mistake.
   */
  function completeCalls(chunks: WireEvent[]): void {
    for (const call of calls.values()) if (call.empty) sayArguments(call, "{}", chunks);
  }

  function finish(reason: FinishReason, chunks: WireEvent[]): void {
    finished = true;
    if (FINISH_REASONS[reason] !== "length") completeCalls(chunks);
    sayDetails(chunks);
    begin("", chunks);
    // A refusal in words ends like any other text here.
    chunks.push(deltaChunk({}, reason === "refusal" && refused ? "stop" : FINISH_REASONS[reason]));
  }

  function writeOne(event: NeutralEvent, chunks: WireEvent[]): void {
    if (finished) return;
    reasoning.add(event);
    switch (event.kind) {
      case "start":
        if (event.id?.startsWith("chatcmpl-") === true) ({ id } = event);
        model = identity.answerModel ?? event.model ?? identity.model;
        return;
      case "text":
        if (event.text !== "") say({ content: event.text }, chunks, "");
        return;
      case "refusal":
        refused = true;
        if (event.text !== "") say({ refusal: event.text }, chunks);
        return;
      case "thinking":
        if (event.text !== "") say({ reasoning_content: event.text }, chunks);
        return;
      case "tool-start":
        sayDetails(chunks);
        return sayCall(event, chunks);
      case "tool-arguments":
        return sayArguments(calls.get(event.call), event.json, chunks);
      case "finish":
        return finish(event.reason, chunks);
      case "thinking-end":
      case "redacted-thinking":
    }
  }

  function endWithUsage(usage: TokenUsage, chunks: WireEvent[]): WireEvent[] {
    if (!ended && includeUsage) chunks.push(chunk([], renderUsage(usage)));
    ended = true;
    return chunks;
  }

  return {
    write(events) {
      const chunks: WireEvent[] = [];
      for (const event of events) writeOne(event, chunks);
      return chunks;
    },
    // An answer without an end is not given one here.
    end: (usage) => (finished ? endWithUsage(usage, []) : []),
    limitStop(usage) {
      const chunks: WireEvent[] = [];
      if (!finished) finish("length", chunks);
      return endWithUsage(usage, chunks);
    },
  };
}

/** Server-sent events without a name, one for each chunk. `[DONE]` is not among them. */
export function renderChunks(events: readonly WireEvent[]): Buffer {
  let text = "";
  for (const event of events) text += `data: ${JSON.stringify(event)}\n\n`;
  return Buffer.from(text);
}
