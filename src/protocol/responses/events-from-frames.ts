/**
 * What an upstream of the Responses protocol says, in its stream or as a whole, in no protocol's
 * shape.
 */
import type { EventReader } from "../chat-dialect.ts";
import { isRecord } from "../json/is-record.ts";
import type { FinishReason, NeutralEvent } from "../neutral/neutral-event.ts";
import { repeatEvents } from "../repeat-events.ts";
import { finishWord } from "./finish-words.ts";
import { createItemReader, type ItemReader } from "./item-reader.ts";

type Fields = Record<string, unknown>;

const NOTHING: Fields = {};

function textOrNull(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function startOf(response: Fields): NeutralEvent {
  return { kind: "start", id: textOrNull(response["id"]), model: textOrNull(response["model"]) };
}

/** A refusal in words ends a whole answer; one without them is a filter that cut it off. */
function reasonOf(word: string, items: ItemReader): FinishReason {
  if (word === "content_filter") return "refusal";
  // Cut off by a limit, whichever it is.
  if (word !== "completed" && word !== "in_progress" && word !== "queued") return "length";
  if (items.calls() > 0) return "tool-calls";
  return items.refused() ? "refusal" : "stop";
}

function readOutput(response: Fields, items: ItemReader, events: NeutralEvent[]): void {
  const { output } = response;
  if (!Array.isArray(output)) return;
  for (const [index, item] of (output as readonly unknown[]).entries())
    if (isRecord(item)) items.whole(item, index, events);
}

/**
 * A reader of the frames of one stream, in order. Never throws: what makes no sense says nothing.
 */
export function createEventReader(): EventReader {
  const items = createItemReader();
  let started = false;
  let finished = false;

  function finish(word: string, events: NeutralEvent[]): void {
    if (finished) return;
    finished = true;
    events.push({ kind: "finish", reason: reasonOf(word, items), stopSequence: null });
  }

  function read(event: Fields, ended: boolean, events: NeutralEvent[]): void {
    const response = isRecord(event["response"]) ? event["response"] : NOTHING;
    if (!started) events.push(startOf(response));
    started = true;
    if (!ended) return items.read(event, events);
    // Some upstreams say everything in their last event.
    if (!items.reported()) readOutput(response, items, events);
    finish(finishWord(String(event["type"]), response), events);
  }

  return repeatEvents((frame) => {
    const events: NeutralEvent[] = [];
    const payload = frame === null ? null : frame.payload;
    if (frame === null) finish("completed", events);
    else if (payload !== null && frame.kind === "data") read(payload, frame.finished, events);
    return events;
  });
}

/** What a whole response says, as its stream would have said it. */
export function answerEvents(data: Fields): NeutralEvent[] {
  const items = createItemReader();
  const events: NeutralEvent[] = [startOf(data)];
  readOutput(data, items, events);
  const reason = reasonOf(finishWord("", data), items);
  events.push({ kind: "finish", reason, stopSequence: null });
  return events;
}
