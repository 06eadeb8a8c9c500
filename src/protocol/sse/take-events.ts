/**
 * Takes the whole events out of the pieces of an upstream's stream, as its protocol's frame reader
 * wants them.
 */
import { SSE_EVENT_LIMIT_BYTES } from "../../kernel/limits.ts";
import { createEventSplitter, type EventSplitter, type SseEvent } from "./split-events.ts";

/** For one stream. */
export function createStreamSplitter(): EventSplitter {
  return createEventSplitter(SSE_EVENT_LIMIT_BYTES);
}

/** Throws a RangeError when one event passes its size limit. */
export function takeEvents(splitter: EventSplitter, piece: Buffer): readonly SseEvent[] {
  const split = splitter.push(piece);
  if (split.kind === "too-large")
    throw new RangeError(`one event of the stream is larger than ${SSE_EVENT_LIMIT_BYTES} bytes`);
  return split.events;
}
