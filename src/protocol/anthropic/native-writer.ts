/** A Messages upstream's stream for a caller of the same protocol: bytes pass, but for the model's name where the answer must have another. */
import type { TokenUsage } from "../../kernel/token-usage.ts";
import type { AnswerIdentity, Frame, StreamWriter } from "../chat-dialect.ts";
import { joinPieces } from "../join-pieces.ts";
import { renameModel } from "../json/rename-model.ts";
import { messageEventOf } from "./create-frame-reader.ts";
import { limitStop } from "./limit-stop.ts";
import type { MessageEvent } from "./read-message-event.ts";
import { renderMessageEvents } from "./render-events.ts";

export function createMessagesNativeWriter(identity: AnswerIdentity): StreamWriter {
  return new MessagesPasser(identity);
}

class MessagesPasser implements StreamWriter {
  readonly #identity: AnswerIdentity;
  readonly #openBlocks = new Set<number>();
  #started = false;
  #finished = false;

  constructor(identity: AnswerIdentity) {
    this.#identity = identity;
  }

  write(frame: Frame): Buffer {
    // What repeats the frame before it is a piece of the same block.
    if (frame.repeats === true) return frame.bytes;
    const event = messageEventOf(frame);
    if (event === null) return frame.bytes;
    this.#note(event);
    return this.#bytesOf(frame, event);
  }

  writeAll(frames: readonly Frame[]): Buffer | null {
    return joinPieces(frames, this);
  }

  end(done: Frame | null): Buffer | null {
    const event = done === null ? null : messageEventOf(done);
    return done === null || event === null ? (done?.bytes ?? null) : this.#bytesOf(done, event);
  }

  limitStop(usage: TokenUsage): Buffer {
    const delivered = { started: this.#started, finished: this.#finished, openBlocks: [...this.#openBlocks] };
    return renderMessageEvents(limitStop(delivered, usage, this.#identity));
  }

  #note({ type, data, stopReason }: MessageEvent): void {
    const { index } = data;
    if (type === "message_start") this.#started = true;
    else if (type === "content_block_start" && typeof index === "number") this.#openBlocks.add(index);
    else if (type === "content_block_stop" && typeof index === "number") this.#openBlocks.delete(index);
    this.#finished ||= stopReason !== null;
  }

  #bytesOf(frame: Frame, event: MessageEvent): Buffer {
    const { answerModel } = this.#identity;
    const bytes = event.type === "message_start" && answerModel !== null ? renameModel(frame.bytes, answerModel, "message") : frame.bytes;
    // Without its name an event is skipped by the official SDKs, and the answer would look empty.
    return event.unnamed ? Buffer.concat([Buffer.from(`event: ${event.type}\n`), bytes]) : bytes;
  }
}
