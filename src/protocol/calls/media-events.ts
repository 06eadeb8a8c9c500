/**
 * Streams of sound, of transcripts and of images: OpenAI's typed events, and bare bytes, which have
 * no events at all.
 */
import { sayReason } from "../../contract/sentences/say-reason.ts";
import { NOTHING_USED, type UsedRaises } from "../../kernel/price-raises.ts";
import type { Frame, FrameReader, StreamWriter } from "../chat-dialect.ts";
import { isRecord } from "../json/is-record.ts";
import { joinPieces } from "../join-pieces.ts";
import { openAiDialect } from "../openai/dialect.ts";
import { renderOpenAiErrorEvent } from "../openai/render-error.ts";
import type { HideWords } from "../operator-words.ts";
import { PieceReader } from "../read-pieces.ts";
import { readErrorValue } from "../read-upstream-error.ts";
import type { SseEvent } from "../sse/split-events.ts";
import { garbageFrame, StreamFrame } from "../stream-frame.ts";
import type { CallStreaming } from "./call-protocol.ts";
import { readMediaUsage } from "./media-usage.ts";

const FAILED = "The upstream's answer failed half-way.";
/** The last words of the types of events that end an answer. */
const END = /\.(done|completed)$/;

class MediaEventReader extends PieceReader implements FrameReader {
  finished = false;
  readonly finishReason = null;
  readonly model = null;
  readonly used: UsedRaises = NOTHING_USED;
  readonly #hide: HideWords;
  /** Something of the text has come piece by piece. */
  #begun = false;

  constructor(hide: HideWords) {
    super();
    this.#hide = hide;
  }

  protected override get textAlone(): () => null {
    return () => null;
  }

  protected override read({ bytes, data }: SseEvent): StreamFrame {
    if (data === null) return new StreamFrame("comment", bytes);
    if (data === "[DONE]") return new StreamFrame("done", bytes);
    let event: unknown;
    try {
      event = JSON.parse(data);
    } catch {
      return garbageFrame(bytes, sayReason("event_not_json"));
    }
    if (!isRecord(event)) return garbageFrame(bytes, sayReason("event_no_object"));
    const { type, error } = event;
    if (type === "error" || isRecord(error)) {
      const { kind, ...reported } = readErrorValue(event, { fallback: FAILED, hide: this.#hide });
      return new StreamFrame(kind, bytes, reported);
    }
    const ends = typeof type === "string" && END.test(type);
    this.finished ||= ends;
    const delta = event["delta"];
    const text = typeof delta === "string" ? delta : this.#wholeText(event, ends);
    this.#begun ||= text !== "";
    const usage = readMediaUsage(event["usage"]);
    return new StreamFrame("data", bytes, null, text, true, ends, usage);
  }

  /** The last event repeats what came before it. */
  #wholeText({ text }: Record<string, unknown>, ends: boolean): string {
    return ends && !this.#begun && typeof text === "string" ? text : "";
  }
}

/** Every piece is content, and a clean end makes it whole. */
class BytesReader implements FrameReader {
  finished = false;
  readonly finishReason = null;
  readonly model = null;
  readonly used: UsedRaises = NOTHING_USED;

  push(chunk: Buffer): Frame[] {
    this.finished = true;
    return [new StreamFrame("data", chunk, null, "", true)];
  }

  end(): Frame[] {
    return [];
  }
}

function createPasser(): Pick<StreamWriter, "writeAll" | "end"> {
  return {
    writeAll: (frames) => joinPieces(frames, { write: ({ bytes }) => bytes }),
    end: (done) => done?.bytes ?? null,
  };
}

export const MEDIA_EVENTS: CallStreaming = {
  contentType: "text/event-stream; charset=utf-8",
  accept: "text/event-stream",
  createReader: (hide) => new MediaEventReader(hide),
  createWriter: createPasser,
  streamOf: () => null,
  errorEvent: (fault) => Buffer.from(renderOpenAiErrorEvent(fault)),
  keepAlive: openAiDialect.keepAlive,
};

const BYTES = /^(?:audio\/|application\/octet-stream)/;

/** Bytes of that type as they come; what breaks off just ends. */
export function bytesStreaming(contentType: string): CallStreaming {
  return {
    contentType,
    accept: "*/*",
    takes: (type) => BYTES.test(type),
    createReader: () => new BytesReader(),
    createWriter: createPasser,
    streamOf: () => null,
    errorEvent: () => null,
    keepAlive: null,
  };
}
