/**
 * What an upstream of the Messages protocol says, in its stream or as a whole, in no protocol's
 * shape.
 */
import type { EventReader } from "../chat-dialect.ts";
import type { FinishReason, NeutralEvent } from "../neutral/neutral-event.ts";
import { repeatEvents } from "../repeat-events.ts";
import { createBlockReader, fieldsOf, textOrNull } from "./block-reader.ts";

type Fields = Record<string, unknown>;

const FINISH_REASONS: ReadonlyMap<unknown, FinishReason> = new Map([
  ["end_turn", "stop"],
  ["stop_sequence", "stop-sequence"],
  ["max_tokens", "length"],
  ["tool_use", "tool-calls"],
  ["refusal", "refusal"],
  ["pause_turn", "stop"],
  ["model_context_window_exceeded", "context-full"],
]);

/**
 * An unknown reason is an end all the same; so is none at all, once the upstream has said that the
 * answer is over.
 */
function finishOf(holder: Fields, calls: number): NeutralEvent {
  const reason = FINISH_REASONS.get(holder["stop_reason"]) ?? (calls > 0 ? "tool-calls" : "stop");
  return { kind: "finish", reason, stopSequence: textOrNull(holder["stop_sequence"]) };
}

function startOf(message: Fields): NeutralEvent {
  return { kind: "start", id: textOrNull(message["id"]), model: textOrNull(message["model"]) };
}

/**
 * A reader of the frames of one stream, in order. Never throws: what makes no sense says nothing.
 */
export function createEventReader(): EventReader {
  const blocks = createBlockReader();
  let started = false;
  let finished = false;

  function finish(holder: Fields, events: NeutralEvent[]): void {
    if (finished) return;
    finished = true;
    blocks.stopAll(events);
    events.push(finishOf(holder, blocks.calls()));
  }

  function read(payload: Fields, events: NeutralEvent[]): void {
    switch (payload["type"]) {
      case "message_start":
        if (!started) events.push(startOf(fieldsOf(payload["message"])));
        started = true;
        return;
      case "content_block_start":
        return blocks.start(payload["index"], fieldsOf(payload["content_block"]), events);
      case "content_block_delta":
        return blocks.delta(payload["index"], fieldsOf(payload["delta"]), events);
      case "content_block_stop":
        return blocks.stop(payload["index"], events);
      case "message_delta": {
        const delta = fieldsOf(payload["delta"]);
        if (textOrNull(delta["stop_reason"]) !== null) finish(delta, events);
        return;
      }
      case "message_stop":
        return finish({}, events);
    }
  }

  return repeatEvents((frame) => {
    const events: NeutralEvent[] = [];
    const payload = frame === null ? null : frame.payload;
    if (frame === null) finish({}, events);
    else if (payload !== null) read(payload, events);
    return events;
  });
}

/** What a whole message says, as its stream would have said it. */
export function answerEvents(data: Record<string, unknown>): NeutralEvent[] {
  const blocks = createBlockReader();
  const content: unknown[] = Array.isArray(data["content"]) ? data["content"] : [];
  const events: NeutralEvent[] = [startOf(data)];
  for (const block of content) blocks.whole(fieldsOf(block), events);
  events.push(finishOf(data, blocks.calls()));
  return events;
}
