/** Reads the stream of a Messages upstream into frames. */
import type { Frame, FrameReader } from "../chat-dialect.ts";
import { isRecord } from "../json/is-record.ts";
import { SILENT_FRAME } from "../silent-frame.ts";
import type { SseEvent } from "../sse/split-events.ts";
import { createEventTaker } from "../sse/take-events.ts";
import { ABSENT_USAGE, type UsageReading } from "../usage-reading.ts";
import { readMessageEvent, type MessageEvent } from "./read-message-event.ts";
import { mergeUsage, readMessagesUsage } from "./read-usage.ts";

interface MessageFrame extends Frame {
  readonly event: MessageEvent | null;
}

const SAYS_NOTHING = { ...SILENT_FRAME, event: null } as const;

/** The event in a frame of this reader; null where the frame holds none. */
export function messageEventOf(frame: Frame): MessageEvent | null {
  return "event" in frame ? (frame as MessageFrame).event : null;
}

/**
 * A stream is whole only once message_stop was read: a clean end before it is an interruption. Of two messages in one stream the second
 * is garbage, as is an end without a beginning.
 */
export function createMessagesFrameReader(): FrameReader {
  const take = createEventTaker();
  let started = false;
  let stopped = false;
  let stopReason: string | null = null;
  let model: string | null = null;
  /** What the stream has said of its usage so far; not the output of message_start, which is a placeholder. */
  let said: Record<string, unknown> = {};

  function usageAfter({ type, data }: MessageEvent): UsageReading {
    if (type === "message_start") {
      const usage = isRecord(data["message"]) ? data["message"]["usage"] : undefined;
      if (!isRecord(usage)) return readMessagesUsage(usage);
      said = mergeUsage(said, { ...usage, output_tokens: null, output_tokens_details: null });
    } else if (type === "message_delta") {
      if (!isRecord(data["usage"])) return readMessagesUsage(data["usage"]);
      said = mergeUsage(said, data["usage"]);
    } else {
      return ABSENT_USAGE;
    }
    return readMessagesUsage(said);
  }

  function garbage(bytes: Buffer, reason: string): MessageFrame {
    return { ...SAYS_NOTHING, kind: "garbage", bytes, error: { message: reason, status: null } };
  }

  function noteEvent(event: MessageEvent): string | null {
    const { type, data } = event;
    if (type === "message_start") {
      if (started) return "the stream begins a second message";
      started = true;
      const named = isRecord(data["message"]) ? data["message"]["model"] : null;
      if (typeof named === "string" && named !== "") model = named;
    } else if (type === "message_stop") {
      if (!started) return "the stream ends a message that it has not begun";
      stopped = true;
    }
    stopReason = event.stopReason ?? stopReason;
    return null;
  }

  function readFrame(source: SseEvent): MessageFrame {
    const { bytes } = source;
    const reading = readMessageEvent(source);
    switch (reading.kind) {
      case "error":
        return { ...SAYS_NOTHING, kind: "error", bytes, error: reading.error };
      case "garbage":
        return garbage(bytes, reading.reason);
      case "comment":
        return { ...SAYS_NOTHING, kind: "comment", bytes };
      case "event": {
        const fault = noteEvent(reading);
        if (fault !== null) return garbage(bytes, fault);
        return {
          kind: reading.type === "message_stop" ? "done" : "data",
          bytes,
          payload: reading.data,
          text: reading.text,
          hasContent: reading.hasContent,
          finished: reading.stopReason !== null,
          usage: usageAfter(reading),
          error: null,
          event: reading,
        };
      }
    }
  }

  return {
    push: (piece) => take(piece).map(readFrame),
    get finished() {
      return stopped;
    },
    get finishReason() {
      return stopReason;
    },
    get model() {
      return model;
    },
  };
}
