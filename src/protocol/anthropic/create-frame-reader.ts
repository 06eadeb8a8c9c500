/** Reads the stream of a Messages upstream into frames. */
import { sayReason } from "../../contract/sentences/say-reason.ts";
import type { WordedReason } from "../../contract/operator/upstream-reason.ts";
import type { UsedRaises } from "../../kernel/price-raises.ts";
import type { Frame, FrameReader } from "../chat-dialect.ts";
import { isRecord } from "../json/is-record.ts";
import type { HideWords } from "../operator-words.ts";
import { PieceReader } from "../read-pieces.ts";
import { UsedSoFar } from "../raises/read-used.ts";
import type { TextAlone } from "../sse/repeated-events.ts";
import { parseEvent, type SseEvent } from "../sse/split-events.ts";
import { garbageFrame, StreamFrame } from "../stream-frame.ts";
import { ABSENT_USAGE, type UsageReading } from "../usage-reading.ts";
import { readMessageEvent, type MessageEvent } from "./read-message-event.ts";
import { mergeUsage, readMessagesUsage } from "./read-usage.ts";
import { noteUsed } from "./read-used.ts";

/** The caller gets nothing of it. */
const NOTHING = Buffer.alloc(0);

class MessageFrame extends StreamFrame {
  readonly #event: MessageEvent;

  constructor(bytes: Buffer, event: MessageEvent, usage: UsageReading) {
    super(
      event.type === "message_stop" ? "done" : "data",
      bytes,
      null,
      event.text,
      event.hasContent,
      event.stopReason !== null,
      usage,
    );
    this.#event = event;
  }

  override get payload(): Record<string, unknown> {
    return this.#event.data;
  }

  static eventOf(frame: Frame): MessageEvent | null {
    return #event in frame ? frame.#event : null;
  }
}

/**
 * The event in a frame of this reader; null where the frame holds none, or repeats the one before
 * it.
 */
export function messageEventOf(frame: Frame): MessageEvent | null {
  return MessageFrame.eventOf(frame);
}

/** Of a delta of a block that has its `event:` line. */
function textAlone(source: Buffer): string | null {
  const event = readMessageEvent(parseEvent(source));
  return event.kind === "event" && event.type === "content_block_delta" && !event.unnamed
    ? event.text
    : null;
}

/**
 * A stream is whole only once message_stop was read: a clean end before it is an interruption. Of
 * two messages in one stream the second is garbage, as is an end without a beginning.
 */
class MessagesReader extends PieceReader implements FrameReader {
  finished = false;
  finishReason: string | null = null;
  model: string | null = null;
  #started = false;
  #blockBegun = false;
  readonly #used = new UsedSoFar();
  /**
   * What the stream has said of its usage so far; not the output of message_start, which is a
   * placeholder.
   */
  #reported: Record<string, unknown> = {};
  readonly #hide: HideWords | undefined;

  constructor(hide: HideWords | undefined) {
    super();
    this.#hide = hide;
  }

  protected override get textAlone(): TextAlone {
    return textAlone;
  }

  protected override read(source: SseEvent): StreamFrame {
    const { bytes } = source;
    const reading = readMessageEvent(source, this.#hide);
    switch (reading.kind) {
      case "error":
        return new StreamFrame("error", bytes, reading.error);
      case "garbage":
        return garbageFrame(bytes, reading);
      case "comment":
        return new StreamFrame("comment", bytes);
      case "event": {
        if (this.#isDoubled(reading)) return new StreamFrame("comment", NOTHING);
        const fault = this.#note(reading);
        return fault === null
          ? new MessageFrame(bytes, reading, this.#usageAfter(reading))
          : garbageFrame(bytes, fault);
      }
    }
  }

  /**
   * Some upstreams (proxies) begin a message twice before they say anything; clients give up over
   * the second.
   */
  #isDoubled({ type, hasContent }: MessageEvent): boolean {
    this.#blockBegun ||= type === "content_block_start" || hasContent;
    return type === "message_start" && this.#started && !this.#blockBegun;
  }

  /** What is wrong with the event where it stands; null where it is right. */
  #note({ type, data, stopReason }: MessageEvent): WordedReason | null {
    if (type === "message_start") {
      if (this.#started) return sayReason("second_message");
      this.#started = true;
      const named = isRecord(data["message"]) ? data["message"]["model"] : null;
      if (typeof named === "string" && named !== "") this.model = named;
    } else if (type === "message_stop") {
      if (!this.#started) return sayReason("end_without_message");
      this.finished = true;
    }
    noteUsed(data, this.#used);
    this.finishReason = stopReason ?? this.finishReason;
    return null;
  }

  get used(): UsedRaises {
    return this.#used.used;
  }

  #usageAfter({ type, data }: MessageEvent): UsageReading {
    if (type === "message_start") {
      const usage = isRecord(data["message"]) ? data["message"]["usage"] : undefined;
      if (!isRecord(usage)) return readMessagesUsage(usage);
      this.#reported = mergeUsage(this.#reported, {
        ...usage,
        output_tokens: null,
        output_tokens_details: null,
      });
    } else if (type === "message_delta") {
      if (!isRecord(data["usage"])) return readMessagesUsage(data["usage"]);
      this.#reported = mergeUsage(this.#reported, data["usage"]);
    } else {
      return ABSENT_USAGE;
    }
    return readMessagesUsage(this.#reported);
  }
}

export function createMessagesFrameReader(hide?: HideWords): FrameReader {
  return new MessagesReader(hide);
}
