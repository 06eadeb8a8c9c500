/** Spares the readers of events those frames that repeat the one before them. */
import type { EventReader } from "./chat-dialect.ts";
import { withText, type NeutralEvent } from "./neutral/neutral-event.ts";

/**
 * `read` says what a frame says. A frame that repeats one which said a single piece of text says
 * that piece with its own text, so `read` does not see it: nothing that it would remember of it is
 * new.
 */
export function repeatEvents(read: EventReader): EventReader {
  let last: NeutralEvent | null = null;
  return (frame) => {
    const again = frame?.repeats === true && last !== null ? withText(last, frame.text) : null;
    if (again !== null) return [again];
    const events = read(frame);
    last = events.length === 1 ? (events[0] ?? null) : null;
    return events;
  };
}
