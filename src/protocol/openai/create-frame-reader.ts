/** Reads the stream of an OpenAI-protocol upstream into frames. */
import type { UsedRaises } from "../../kernel/price-raises.ts";
import type { Frame, FrameReader } from "../chat-dialect.ts";
import { isRecord } from "../json/is-record.ts";
import type { HideWords } from "../operator-words.ts";
import { PieceReader } from "../read-pieces.ts";
import { UsedSoFar } from "../raises/read-used.ts";
import type { TextAlone } from "../sse/repeated-events.ts";
import { parseEvent, type SseEvent } from "../sse/split-events.ts";
import { garbageFrame, StreamFrame } from "../stream-frame.ts";
import type { UsageReading } from "../usage-reading.ts";
import { isFailedFinish } from "./finish-words.ts";
import type { ChatChunk, ChunkReading } from "./read-chunk.ts";
import { readChunk } from "./read-chunk.ts";
import { noteUsed } from "./read-used.ts";
import { createStreamState } from "./stream-state.ts";
import { StreamUsage } from "./stream-usage.ts";

class ChunkFrame extends StreamFrame {
  readonly #chunk: ChatChunk;

  constructor(bytes: Buffer, chunk: ChatChunk, usage: UsageReading) {
    super("data", bytes, null, chunk.text, chunk.hasContent, chunk.finished, usage);
    this.#chunk = chunk;
  }

  override get payload(): Record<string, unknown> {
    return this.#chunk.data;
  }

  static chunkOf(frame: Frame): ChatChunk | null {
    return #chunk in frame ? frame.#chunk : null;
  }
}

/**
 * The chunk in a frame of this reader; null where the frame holds none, or repeats the one before
 * it.
 */
export function chunkOf(frame: Frame): ChatChunk | null {
  return ChunkFrame.chunkOf(frame);
}

function frameOf(bytes: Buffer, reading: ChunkReading, usage: StreamUsage): StreamFrame {
  switch (reading.kind) {
    case "chunk":
      return new ChunkFrame(bytes, reading, usage.after(reading));
    case "error": {
      const { kind, ...error } = reading;
      return new StreamFrame(kind, bytes, error);
    }
    case "garbage":
      return garbageFrame(bytes, reading);
    default:
      return new StreamFrame(reading.kind, bytes);
  }
}

/**
 * Of a chunk that is a piece of one choice and nothing else; whole messages repeat what was said
 * before.
 */
function textAlone(event: Buffer): string | null {
  const chunk = readChunk(parseEvent(event));
  if (
    chunk.kind !== "chunk" ||
    chunk.finished ||
    chunk.usage.kind !== "absent" ||
    chunk.choices.length !== 1
  )
    return null;
  const [choice] = chunk.data["choices"] as unknown[];
  return isRecord(choice) && !isRecord(choice["message"]) ? chunk.text : null;
}

/**
 * A stream is whole once every choice that was begun has its finish reason. Some upstreams
 * (Snowflake, Novita) leave that out: then `[DONE]`, or a usage after all that was generated, says
 * that the answer is over. Where a finish reason says that the answer failed, nothing does.
 */
class ChunkReader extends PieceReader implements FrameReader {
  readonly #state = createStreamState();
  readonly #used = new UsedSoFar();
  readonly #usage = new StreamUsage();
  /** Something was generated. */
  #begun = false;
  /** It was said that the answer is over, and nothing was generated since. */
  #closed = false;
  /** Pieces of the answer tell what was used so far, so a usage is no sign of the end. */
  #usageWithPieces = false;
  readonly #hide: HideWords | undefined;

  constructor(hide: HideWords | undefined) {
    super();
    this.#hide = hide;
  }

  protected override get textAlone(): TextAlone {
    return textAlone;
  }

  protected override read(event: SseEvent): StreamFrame {
    const frame = frameOf(event.bytes, readChunk(event, this.#begun, this.#hide), this.#usage);
    this.#begun ||= frame.hasContent;
    const chunk = chunkOf(frame);
    if (chunk !== null) {
      this.#state.add(chunk);
      noteUsed(chunk.data, this.#used);
    }
    this.#noteEnd(frame);
    if (frame.kind !== "done" || !this.#failed) return frame;
    return new StreamFrame("error", frame.bytes, {
      message: "The upstream's answer failed half-way.",
      status: null,
    });
  }

  #noteEnd({ kind, hasContent, usage }: StreamFrame): void {
    if (hasContent) {
      this.#closed = false;
      this.#usageWithPieces ||= usage.kind !== "absent";
    } else if (kind === "done" || (usage.kind === "valid" && !this.#usageWithPieces)) {
      this.#closed = this.#begun;
    }
  }

  get #failed(): boolean {
    return [...this.#state.finishReasons.values()].some(isFailedFinish);
  }

  get finished(): boolean {
    return (this.#state.finished || this.#closed) && !this.#failed;
  }

  get finishReason(): string | null {
    return this.#state.finishReasons.get(0) ?? null;
  }

  get model(): string | null {
    return this.#state.model;
  }

  get used(): UsedRaises {
    return this.#used.used;
  }
}

export function createChunkFrameReader(hide?: HideWords): FrameReader {
  return new ChunkReader(hide);
}
