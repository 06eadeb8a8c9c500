/** Reads the pieces of an upstream's stream into frames, event by event. */
import type { StreamFrame } from "./stream-frame.ts";
import { RepeatedFrame } from "./stream-frame.ts";
import { RepeatedEvents, type EventRepetition, type TextAlone } from "./sse/repeated-events.ts";
import { parseEvent, type SseEvent } from "./sse/split-events.ts";
import { createStreamSplitter, takeEvents } from "./sse/take-events.ts";
import { ABSENT_USAGE } from "./usage-reading.ts";

const LF = 0x0a;
const BLANK_LINE = Buffer.from("\n\n");

/** For one stream. */
export abstract class PieceReader {
  readonly #splitter = createStreamSplitter();
  readonly #repeated: EventRepetition;

  constructor(repeated: EventRepetition = new RepeatedEvents()) {
    this.#repeated = repeated;
  }

  /** Reads the events in order, but for those that repeat the one before them. */
  protected abstract read(event: SseEvent): StreamFrame;
  /** See repeated-events.ts. */
  protected abstract readonly textAlone: TextAlone;

  /**
   * Whole events only; a remainder waits for the next piece. Throws a RangeError when one event
   * passes its size limit.
   */
  push(piece: Buffer): StreamFrame[] {
    const first = this.#splitter.atBoundary ? this.#repeated.read(piece, 0) : null;
    if (first === null) return this.#split(piece);
    // Most pieces are one event.
    if (this.#repeated.end === piece.length) return [new RepeatedFrame(piece, first)];
    const frames: StreamFrame[] = [];
    let from = 0;
    for (let text: string | null = first; text !== null; text = this.#repeated.read(piece, from)) {
      const { end } = this.#repeated;
      frames.push(new RepeatedFrame(piece.subarray(from, end), text));
      from = end;
    }
    if (from < piece.length)
      for (const frame of this.#split(piece.subarray(from))) frames.push(frame);
    return frames;
  }

  /**
   * After a clean end: the last event, where its blank line is missing and it is whole all the
   * same.
   */
  end(): StreamFrame[] {
    const rest = this.#splitter.rest();
    const event = parseEvent(
      Buffer.concat([rest, rest.at(-1) === LF ? BLANK_LINE.subarray(1) : BLANK_LINE]),
    );
    if (event.data === null) return [];
    const frame = this.read(event);
    return frame.kind === "garbage" ? [] : [frame];
  }

  #split(piece: Buffer): StreamFrame[] {
    return takeEvents(this.#splitter, piece).map((event) => this.#frameOf(event));
  }

  #frameOf(event: SseEvent): StreamFrame {
    const repeated = this.#repeated;
    const { bytes } = event;
    const again = repeated.read(bytes, 0);
    if (again !== null) return new RepeatedFrame(bytes, again);
    const frame = this.read(event);
    const { text } = frame;
    if (text === "" || frame.finished || frame.usage !== ABSENT_USAGE) repeated.forget();
    else repeated.learn(bytes, text, this.textAlone);
    return frame;
  }
}
