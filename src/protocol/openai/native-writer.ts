/**
 * An OpenAI-protocol upstream's stream for a caller of the same protocol: bytes pass, all but the usage chunk that nobody asked for, events
 * without data, the model's name where the answer must have another, and indexes of tool calls that the upstream does not tell apart.
 */
import type { TokenUsage } from "../../kernel/token-usage.ts";
import type { AnswerIdentity, Frame, StreamWriter } from "../chat-dialect.ts";
import { joinPieces } from "../join-pieces.ts";
import { renameModel } from "../json/rename-model.ts";
import { parseEvent } from "../sse/split-events.ts";
import { createCallIndexes } from "./call-indexes.ts";
import { chunkOf } from "./create-frame-reader.ts";
import { limitStop } from "./limit-stop.ts";
import { createStreamState } from "./stream-state.ts";

export function createChunkPasser(identity: AnswerIdentity): StreamWriter {
  return new ChunkPasser(identity);
}

/** No mere comment: an event without data, which some upstreams send to keep a connection alive, and which the official SDKs take for a broken chunk. */
function isEmptyEvent(bytes: Buffer): boolean {
  const { event, data } = parseEvent(bytes);
  return event !== null || data !== null;
}

class ChunkPasser implements StreamWriter {
  readonly #identity: AnswerIdentity;
  /** Of what was delivered. */
  readonly #state = createStreamState();
  readonly #indexes = createCallIndexes();
  /** The last chunk named its model. */
  #named = false;
  /** The last chunk did not tell its calls apart. */
  #amended = false;

  constructor(identity: AnswerIdentity) {
    this.#identity = identity;
  }

  write(frame: Frame): Buffer | null {
    const { includeUsage, answerModel } = this.#identity;
    // What repeats the frame before it says nothing new of the stream.
    if (frame.repeats !== true) {
      const chunk = chunkOf(frame);
      if (chunk !== null) this.#state.add(chunk);
      if (chunk !== null && chunk.usageOnly && !includeUsage) return null;
      if (frame.kind === "comment" && isEmptyEvent(frame.bytes)) return null;
      this.#named = typeof frame.payload?.["model"] === "string";
    }
    const bytes = this.#withIndexes(frame);
    return answerModel === null || !this.#named ? bytes : renameModel(bytes, answerModel);
  }

  /** Without an index, or with one for two calls, the official SDKs give up the stream. */
  #withIndexes(frame: Frame): Buffer {
    if (frame.kind !== "data" || (frame.repeats === true && !this.#amended)) return frame.bytes;
    const bytes = frame.payload === null ? frame.bytes : this.#indexes.amend(frame.bytes, frame.payload);
    this.#amended = bytes !== frame.bytes;
    return bytes;
  }

  writeAll(frames: readonly Frame[]): Buffer | null {
    return joinPieces(frames, this);
  }

  end(done: Frame | null): Buffer | null {
    return done?.bytes ?? null;
  }

  limitStop(usage: TokenUsage): Buffer {
    const identity = this.#identity;
    return limitStop({ state: this.#state, usage: identity.includeUsage ? usage : null, identity });
  }
}
