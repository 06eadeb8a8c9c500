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

/** A call as the caller has it: its place among the calls, and whether anything of its arguments has been sent. */
interface SentCall {
  readonly index: number;
  empty: boolean;
}

/**
 * The first chunk carries the role, and an empty text where the answer begins with one, null where it begins with something else. Text
 * goes to `content`, thinking to `reasoning_content`; sealed thinking is said once more, whole, in `reasoning_details` before the first
 * call or the end, because clients that put deltas together keep only the last of a field that they do not know.
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
    const head = { id, object: "chat.completion.chunk", created, model, choices };
    // With include_usage every other chunk carries a null usage (OpenAI's rule).
    return includeUsage ? { ...head, usage } : head;
  }

  function deltaChunk(delta: object, finishReason: string | null = null): WireEvent {
    return chunk([{ index: 0, delta, logprobs: null, finish_reason: finishReason }], null);
  }

  function begin(content: "" | null): WireEvent[] {
    if (begun) return [];
    begun = true;
    return [deltaChunk({ role: "assistant", content, refusal: null })];
  }

  function say(delta: object, content: "" | null = null): WireEvent[] {
    return [...begin(content), deltaChunk(delta)];
  }

  function sayDetails(): WireEvent[] {
    const sealed = reasoning.sealed();
    if (detailsSent || sealed.length === 0) return [];
    detailsSent = true;
    return say({ reasoning_details: renderReasoningDetails(sealed) });
  }

  function sayCall(event: Extract<NeutralEvent, { kind: "tool-start" }>): WireEvent[] {
    const index = calls.size;
    calls.set(event.call, { index, empty: true });
    return say({ tool_calls: [{ index, id: event.id, type: "function", function: { name: event.name, arguments: "" } }] });
  }

  function sayArguments(call: SentCall | undefined, json: string): WireEvent[] {
    if (call === undefined || json === "") return [];
    call.empty = false;
    return say({ tool_calls: [{ index: call.index, function: { arguments: json } }] });
  }

  /** A call without arguments has an empty object of them here; one that was cut off has none, so that nobody makes it by mistake. */
  function completeCalls(): WireEvent[] {
    return [...calls.values()].filter(({ empty }) => empty).flatMap((call) => sayArguments(call, "{}"));
  }

  function finish(reason: FinishReason): WireEvent[] {
    finished = true;
    const complete = FINISH_REASONS[reason] === "length" ? [] : completeCalls();
    // A refusal in words ends like any other text here.
    const word = reason === "refusal" && refused ? "stop" : FINISH_REASONS[reason];
    return [...complete, ...sayDetails(), ...begin(""), deltaChunk({}, word)];
  }

  function writeOne(event: NeutralEvent): WireEvent[] {
    if (finished) return [];
    reasoning.add(event);
    switch (event.kind) {
      case "start":
        if (event.id?.startsWith("chatcmpl-") === true) ({ id } = event);
        model = identity.answerModel ?? event.model ?? identity.model;
        return [];
      case "text":
        return event.text === "" ? [] : say({ content: event.text }, "");
      case "refusal":
        refused = true;
        return event.text === "" ? [] : say({ refusal: event.text });
      case "thinking":
        return event.text === "" ? [] : say({ reasoning_content: event.text });
      case "tool-start":
        return [...sayDetails(), ...sayCall(event)];
      case "tool-arguments":
        return sayArguments(calls.get(event.call), event.json);
      case "finish":
        return finish(event.reason);
      case "thinking-end":
      case "redacted-thinking":
        return [];
    }
  }

  function usageChunk(usage: TokenUsage): WireEvent[] {
    if (ended || !includeUsage) return [];
    ended = true;
    return [chunk([], renderUsage(usage))];
  }

  return {
    write: (events) => events.flatMap(writeOne),
    // An answer without an end is not given one here.
    end: (usage) => (finished ? usageChunk(usage) : []),
    limitStop: (usage) => [...(finished ? [] : finish("length")), ...usageChunk(usage)],
  };
}

/** Server-sent events without a name, one for each chunk. `[DONE]` is not among them. */
export function renderChunks(events: readonly WireEvent[]): Buffer {
  return Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
}
