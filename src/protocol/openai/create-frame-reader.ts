/** Reads the stream of an OpenAI-protocol upstream into frames. */
import type { Frame, FrameReader } from "../chat-dialect.ts";
import { isRecord } from "../json/is-record.ts";
import { PieceReader } from "../read-pieces.ts";
import type { TextAlone } from "../sse/repeated-events.ts";
import { parseEvent, type SseEvent } from "../sse/split-events.ts";
import { StreamFrame } from "../stream-frame.ts";
import { isFailedFinish } from "./finish-words.ts";
import type { ChatChunk } from "./read-chunk.ts";
import { readChunk } from "./read-chunk.ts";
import { createStreamState } from "./stream-state.ts";

class ChunkFrame extends StreamFrame {
  readonly #chunk: ChatChunk;

  constructor(bytes: Buffer, chunk: ChatChunk) {
    super("data", bytes, null, chunk.text, chunk.hasContent, chunk.finished, chunk.usage);
    this.#chunk = chunk;
  }

  override get payload(): Record<string, unknown> {
    return this.#chunk.data;
  }

  static chunkOf(frame: Frame): ChatChunk | null {
    return #chunk in frame ? frame.#chunk : null;
  }
}

/** The chunk in a frame of this reader; null where the frame holds none, or repeats the one before it. */
export function chunkOf(frame: Frame): ChatChunk | null {
  return ChunkFrame.chunkOf(frame);
}

function readFrame(event: SseEvent, begun: boolean): StreamFrame {
  const { bytes } = event;
  const reading = readChunk(event, begun);
  switch (reading.kind) {
    case "chunk":
      return new ChunkFrame(bytes, reading);
    case "error":
      return new StreamFrame("error", bytes, { message: reading.message, status: reading.status });
    case "garbage":
      return new StreamFrame("garbage", bytes, { message: reading.reason, status: null });
    default:
      return new StreamFrame(reading.kind, bytes);
  }
}

/** Of a chunk that is a piece of one choice and nothing else; whole messages repeat what was said before. */
function textAlone(event: Buffer): string | null {
  const chunk = readChunk(parseEvent(event));
  if (chunk.kind !== "chunk" || chunk.finished || chunk.usage.kind !== "absent" || chunk.choices.length !== 1) return null;
  const [choice] = chunk.data["choices"] as unknown[];
  return isRecord(choice) && !isRecord(choice["message"]) ? chunk.text : null;
}

/**
 * A stream is whole once every choice that was begun has its finish reason, and none of them says that it failed: then even `[DONE]` is no
 * end of an answer.
 */
class ChunkReader extends PieceReader implements FrameReader {
  readonly #state = createStreamState();
  /** Something was generated. */
  #begun = false;

  protected override get textAlone(): TextAlone {
    return textAlone;
  }

  protected override read(event: SseEvent): StreamFrame {
    const frame = readFrame(event, this.#begun);
    this.#begun ||= frame.hasContent;
    const chunk = chunkOf(frame);
    if (chunk !== null) this.#state.add(chunk);
    if (frame.kind !== "done" || !this.#failed) return frame;
    return new StreamFrame("error", frame.bytes, { message: "The upstream's answer failed half-way.", status: null });
  }

  get #failed(): boolean {
    return [...this.#state.finishReasons.values()].some(isFailedFinish);
  }

  get finished(): boolean {
    return this.#state.finished && !this.#failed;
  }

  get finishReason(): string | null {
    return this.#state.finishReasons.get(0) ?? null;
  }

  get model(): string | null {
    return this.#state.model;
  }
}

export function createChunkFrameReader(): FrameReader {
  return new ChunkReader();
}
