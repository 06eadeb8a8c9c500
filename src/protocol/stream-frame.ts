/** The frames that the readers of all protocols make. */
import type { WordedReason } from "../contract/operator/upstream-reason.ts";
import type { Frame, StreamError } from "./chat-dialect.ts";
import { parseEvent } from "./sse/split-events.ts";
import { ABSENT_USAGE, type UsageReading } from "./usage-reading.ts";

/** Says nothing of the answer by itself: a comment, an end, an error, something broken. */
export class StreamFrame implements Frame {
  readonly kind: Frame["kind"];
  readonly bytes: Buffer;
  readonly text: string;
  readonly hasContent: boolean;
  readonly finished: boolean;
  readonly usage: UsageReading;
  readonly error: StreamError | null;

  constructor(
    kind: Frame["kind"],
    bytes: Buffer,
    error: StreamError | null = null,
    text = "",
    hasContent = false,
    finished = false,
    usage: UsageReading = ABSENT_USAGE,
  ) {
    this.kind = kind;
    this.bytes = bytes;
    this.text = text;
    this.hasContent = hasContent;
    this.finished = finished;
    this.usage = usage;
    this.error = error;
  }

  get payload(): Record<string, unknown> | null {
    return null;
  }

  get repeats(): boolean {
    return false;
  }
}

/** Something that is no event of its protocol. */
export function garbageFrame(bytes: Buffer, { reason, coded }: WordedReason): StreamFrame {
  const error = { message: reason, status: null, ...(coded === undefined ? {} : { coded }) };
  return new StreamFrame("garbage", bytes, error);
}

/**
 * A frame that repeats the one before it with another text. It is parsed where its payload is asked
 * for.
 */
export class RepeatedFrame extends StreamFrame {
  constructor(bytes: Buffer, text: string) {
    super("data", bytes, null, text, true);
  }

  override get payload(): Record<string, unknown> {
    return JSON.parse(parseEvent(this.bytes).data ?? "null") as Record<string, unknown>;
  }

  override get repeats(): boolean {
    return true;
  }
}
