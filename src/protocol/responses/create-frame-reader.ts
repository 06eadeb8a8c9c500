/** Reads the stream of a Responses upstream into frames. */
import type { UsedRaises } from "../../kernel/price-raises.ts";
import type { FrameReader } from "../chat-dialect.ts";
import { isRecord } from "../json/is-record.ts";
import type { HideWords } from "../operator-words.ts";
import { UsedSoFar } from "../raises/read-used.ts";
import { PieceReader } from "../read-pieces.ts";
import { NumberedEvents } from "../sse/numbered-events.ts";
import type { TextAlone } from "../sse/repeated-events.ts";
import { parseEvent, type SseEvent } from "../sse/split-events.ts";
import { garbageFrame, StreamFrame } from "../stream-frame.ts";
import { ABSENT_USAGE, type UsageReading } from "../usage-reading.ts";
import { finishWord } from "./finish-words.ts";
import { deltaText } from "./generated-text.ts";
import { readResponseEvent, type ResponseEvent } from "./read-response-event.ts";
import { readResponsesUsage } from "./read-usage.ts";
import { noteUsed } from "./read-used.ts";
import { ReportedText, type Reported } from "./reported-text.ts";

const NOTHING = Buffer.alloc(0);

class ResponseFrame extends StreamFrame {
  readonly #event: ResponseEvent;

  constructor(bytes: Buffer, event: ResponseEvent, reported: Reported, usage: UsageReading) {
    const content = reported.silent || reported.text !== "";
    super("data", bytes, null, reported.text, content, event.ended !== null, usage);
    this.#event = event;
  }

  override get payload(): Record<string, unknown> {
    return this.#event.data;
  }
}

/** Of a delta; its own type says so, not the `event:` line alone. */
function textAlone(source: Buffer): string | null {
  const event = readResponseEvent(parseEvent(source));
  if (event.kind !== "event") return null;
  const text = deltaText(event.data);
  return text === "" ? null : text;
}

/**
 * A stream is whole once `response.completed` or `response.incomplete` was read: a clean end before
 * it is an interruption. The last event has the usage and is delivered like any other; a frame
 * without bytes after it says that the answer is over, so nothing waits for the end of the
 * connection.
 */
class ResponsesReader extends PieceReader implements FrameReader {
  finished = false;
  finishReason: string | null = null;
  model: string | null = null;
  /** The frame that says that the answer is over was given out. */
  #closed = false;
  readonly #reported = new ReportedText();
  readonly #used = new UsedSoFar();
  readonly #hide: HideWords | undefined;

  constructor(hide: HideWords | undefined) {
    super(new NumberedEvents());
    this.#hide = hide;
  }

  protected override get textAlone(): TextAlone {
    return textAlone;
  }

  override push(piece: Buffer): StreamFrame[] {
    const frames = super.push(piece);
    if (!this.finished || this.#closed) return frames;
    this.#closed = true;
    const last = frames.findIndex(({ finished }) => finished);
    return frames.toSpliced(last + 1, 0, new StreamFrame("done", NOTHING));
  }

  protected override read(source: SseEvent): StreamFrame {
    const { bytes } = source;
    const reading = readResponseEvent(source, this.#hide);
    switch (reading.kind) {
      case "error":
        return new StreamFrame("error", bytes, reading.error);
      case "garbage":
        return garbageFrame(bytes, reading);
      case "comment":
        return new StreamFrame("comment", reading.shown ? bytes : NOTHING);
      case "event":
        return this.#frameOf(bytes, reading);
    }
  }

  #frameOf(bytes: Buffer, event: ResponseEvent): StreamFrame {
    const { type, data, ended } = event;
    const response = isRecord(data["response"]) ? data["response"] : null;
    if (response !== null && typeof response["model"] === "string" && response["model"] !== "")
      this.model = response["model"];
    noteUsed(data, ended, this.#used);
    if (ended === null)
      return new ResponseFrame(bytes, event, this.#reported.of(data), ABSENT_USAGE);
    this.finished = true;
    this.finishReason = finishWord(type, ended);
    return new ResponseFrame(
      bytes,
      event,
      this.#reported.atEnd(ended),
      readResponsesUsage(ended["usage"]),
    );
  }

  get used(): UsedRaises {
    return this.#used.used;
  }
}

export function createResponsesFrameReader(hide?: HideWords): FrameReader {
  return new ResponsesReader(hide);
}
