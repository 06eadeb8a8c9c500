/** Cuts a byte stream into whole server-sent events without changing a byte of them (WHATWG HTML §9.2.6). */

export interface SseEvent {
  /** The event exactly as it came, its closing blank line included. */
  readonly bytes: Buffer;
  /** The last `event:` field, or null. */
  readonly event: string | null;
  /** The `data:` lines joined by `\n`; null when there is none (a comment, a stray blank line). */
  readonly data: string | null;
}

export type SplitResult = { readonly kind: "events"; readonly events: readonly SseEvent[] } | { readonly kind: "too-large" };

export interface EventSplitter {
  /**
   * Whole events completed by this chunk, in order. `too-large`: one event has grown past the limit; the splitter is done for, the
   * caller ends the stream.
   */
  push(chunk: Buffer): SplitResult;
  /** The bytes of the unfinished event: all events' bytes followed by these are exactly the input. */
  rest(): Buffer;
}

export function createEventSplitter(limitBytes: number): EventSplitter {
  void limitBytes;
  return { push: () => ({ kind: "too-large" }), rest: () => Buffer.alloc(0) };
}
