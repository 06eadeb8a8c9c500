/**
 * An OpenAI-protocol upstream's stream for a caller of the same protocol: bytes pass, all but the
 * usage chunk that it did not ask for, events without data, the model's name where the answer must
 * have another, and indexes of tool calls that are not told apart.
 */
import type { TokenUsage } from "../../kernel/token-usage.ts";
import type { AnswerIdentity, Frame, StreamWriter } from "../chat-dialect.ts";
import { joinPieces } from "../join-pieces.ts";
import { isRecord } from "../json/is-record.ts";
import { ModelRenamer } from "../json/model-renamer.ts";
import { putMember } from "../json/put-member.ts";
import { parseEvent } from "../sse/split-events.ts";
import { createCallIndexes } from "./call-indexes.ts";
import { chunkOf } from "./create-frame-reader.ts";
import { limitStop, usageChunk } from "./limit-stop.ts";
import { shownUsage } from "./shown-usage.ts";
import { createStreamState } from "./stream-state.ts";

export function createChunkPasser(identity: AnswerIdentity): StreamWriter {
  return new ChunkPasser(identity);
}

const DONE = Buffer.from("data: [DONE]\n\n");

/**
 * No mere comment: an event without data, which some upstreams send to keep a connection alive, and
 * which the official SDKs take for a broken chunk.
 */
function isEmptyEvent(bytes: Buffer): boolean {
  const { event, data } = parseEvent(bytes);
  return event !== null || data !== null;
}

class ChunkPasser implements StreamWriter {
  readonly #identity: AnswerIdentity;
  /** Of what was delivered. */
  readonly #state = createStreamState();
  readonly #indexes = createCallIndexes();
  readonly #renamer: ModelRenamer | null;
  /** The last chunk named its model. */
  #named = false;
  /** The chunk of the usage, which the caller has not had yet. */
  #usageChunk: Frame | null = null;
  /** The last usage that the caller has had, beside a piece of the answer. */
  #reported: unknown = null;
  /** The last chunk did not tell its calls apart. */
  #amended = false;

  constructor(identity: AnswerIdentity) {
    this.#identity = identity;
    this.#renamer = identity.answerModel === null ? null : new ModelRenamer(identity.answerModel);
  }

  write(frame: Frame): Buffer | null {
    const { includeUsage } = this.#identity;
    // What repeats the frame before it says nothing new of the stream.
    if (frame.repeats !== true) {
      const chunk = chunkOf(frame);
      if (chunk !== null) this.#state.add(chunk);
      if (chunk !== null && chunk.usageOnly) {
        // Shown at the end, when it is known what was charged.
        if (includeUsage) this.#usageChunk = frame;
        return null;
      }
      if (chunk !== null && isRecord(chunk.data["usage"])) this.#reported = chunk.data["usage"];
      if (frame.kind === "comment" && isEmptyEvent(frame.bytes)) return null;
      this.#named = typeof frame.payload?.["model"] === "string";
    }
    const bytes = this.#withIndexes(frame);
    return this.#renamer === null || !this.#named ? bytes : this.#renamer.rename(bytes);
  }

  /** Without an index, or with one for two calls, the official SDKs give up the stream. */
  #withIndexes(frame: Frame): Buffer {
    if (frame.kind !== "data" || (frame.repeats === true && !this.#amended)) return frame.bytes;
    const bytes =
      frame.payload === null ? frame.bytes : this.#indexes.amend(frame.bytes, frame.payload);
    this.#amended = bytes !== frame.bytes;
    return bytes;
  }

  writeAll(frames: readonly Frame[]): Buffer | null {
    return joinPieces(frames, this);
  }

  /** Clients wait for `[DONE]`, which some upstreams leave out. */
  end(done: Frame | null, usage: TokenUsage): Buffer {
    const last = done?.bytes ?? DONE;
    const reported = this.#identity.includeUsage ? this.#usageEnd(usage) : null;
    return reported === null ? last : Buffer.concat([reported, last]);
  }

  /**
   * The upstream's own chunk of the usage where it says what was charged; null where the caller has
   * been told that already.
   */
  #usageEnd(usage: TokenUsage): Buffer | null {
    const frame = this.#usageChunk;
    const shown = shownUsage(frame === null ? this.#reported : frame.payload?.["usage"], usage);
    if (frame === null)
      return shown === null ? null : usageChunk(this.#state, shown, this.#identity);
    const bytes =
      shown === null ? frame.bytes : putMember(frame.bytes, "usage", JSON.stringify(shown));
    const named = typeof frame.payload?.["model"] === "string";
    return this.#renamer === null || !named ? bytes : this.#renamer.rename(bytes);
  }

  limitStop(usage: TokenUsage): Buffer {
    const identity = this.#identity;
    return limitStop({ state: this.#state, usage: identity.includeUsage ? usage : null, identity });
  }
}
