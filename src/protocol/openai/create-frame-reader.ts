/** Reads the stream of an OpenAI-protocol upstream into frames. */
import type { Frame, FrameReader } from "../chat-dialect.ts";
import { SILENT_FRAME } from "../silent-frame.ts";
import type { SseEvent } from "../sse/split-events.ts";
import { createEventTaker } from "../sse/take-events.ts";
import { isFailedFinish } from "./failed-finish.ts";
import type { ChatChunk } from "./read-chunk.ts";
import { readChunk } from "./read-chunk.ts";
import { createStreamState } from "./stream-state.ts";

interface ChunkFrame extends Frame {
  readonly chunk: ChatChunk | null;
}

const SAYS_NOTHING = { ...SILENT_FRAME, chunk: null } as const;

/** The chunk in a frame of this reader; null where the frame holds none. */
export function chunkOf(frame: Frame): ChatChunk | null {
  return "chunk" in frame ? (frame as ChunkFrame).chunk : null;
}

function readFrame(event: SseEvent): ChunkFrame {
  const { bytes } = event;
  const reading = readChunk(event);
  switch (reading.kind) {
    case "chunk":
      return {
        kind: "data",
        bytes,
        payload: reading.data,
        text: reading.text,
        hasContent: reading.hasContent,
        finished: reading.finished,
        usage: reading.usage,
        error: null,
        chunk: reading,
      };
    case "error":
      return { ...SAYS_NOTHING, kind: "error", bytes, error: { message: reading.message, status: reading.status } };
    case "garbage":
      return { ...SAYS_NOTHING, kind: "garbage", bytes, error: { message: reading.reason, status: null } };
    default:
      return { ...SAYS_NOTHING, kind: reading.kind, bytes };
  }
}

/** A stream is whole once every choice that was begun has its finish reason, and none of them says that it failed. */
export function createChunkFrameReader(): FrameReader {
  const take = createEventTaker();
  const state = createStreamState();
  return {
    push(piece) {
      return take(piece).map((event) => {
        const frame = readFrame(event);
        if (frame.chunk !== null) state.add(frame.chunk);
        return frame;
      });
    },
    get finished() {
      return state.finished && ![...state.finishReasons.values()].some(isFailedFinish);
    },
    get finishReason() {
      return state.finishReasons.get(0) ?? null;
    },
    get model() {
      return state.model;
    },
  };
}
