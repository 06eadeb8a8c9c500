/**
 * A Messages upstream's stream for a caller of the same protocol: bytes pass, but for the model's
 * name where the answer must have another.
 */
import type { TokenUsage } from "../../kernel/token-usage.ts";
import type { AnswerIdentity, Frame, StreamWriter } from "../chat-dialect.ts";
import { joinPieces } from "../join-pieces.ts";
import { isRecord } from "../json/is-record.ts";
import { putMember } from "../json/put-member.ts";
import { renameModel } from "../json/rename-model.ts";
import { messageEventOf } from "./create-frame-reader.ts";
import { limitStop } from "./limit-stop.ts";
import type { MessageEvent } from "./read-message-event.ts";
import { renderMessageEvents } from "./render-events.ts";
import { shownMessagesUsage } from "./shown-usage.ts";

function fieldsOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

export function createMessagesNativeWriter(identity: AnswerIdentity): StreamWriter {
  return new MessagesPasser(identity);
}

class MessagesPasser implements StreamWriter {
  readonly #identity: AnswerIdentity;
  readonly #openBlocks = new Set<number>();
  #started = false;
  #finished = false;
  /**
   * The end of the message, which waits until it is known what was charged; `said` is its own
   * usage.
   */
  #last: { readonly bytes: Buffer; readonly stated: unknown } | null = null;
  /** What the caller is told of the usage by all events. */
  #stated: Record<string, unknown> = {};

  constructor(identity: AnswerIdentity) {
    this.#identity = identity;
  }

  write(frame: Frame): Buffer | null {
    // What repeats the frame before it is a piece of the same block.
    if (frame.repeats === true) return frame.bytes;
    const event = messageEventOf(frame);
    if (event === null) return frame.bytes.length === 0 ? null : frame.bytes;
    this.#note(event);
    const bytes = this.#bytesOf(frame, event);
    const before = event.type === "ping" ? null : this.#last;
    if (before !== null) this.#last = null;
    if (event.stopReason === null)
      return before === null ? bytes : Buffer.concat([before.bytes, bytes]);
    this.#last = { bytes, stated: event.data["usage"] };
    return before?.bytes ?? null;
  }

  writeAll(frames: readonly Frame[]): Buffer | null {
    return joinPieces(frames, this);
  }

  end(done: Frame | null, usage: TokenUsage): Buffer | null {
    const event = done === null ? null : messageEventOf(done);
    const bytes =
      done === null || event === null ? (done?.bytes ?? null) : this.#bytesOf(done, event);
    const last = this.#lastWith(usage);
    return last === null || bytes === null ? (last ?? bytes) : Buffer.concat([last, bytes]);
  }

  limitStop(usage: TokenUsage): Buffer {
    const delivered = {
      started: this.#started,
      finished: this.#finished,
      openBlocks: [...this.#openBlocks],
    };
    const stop = renderMessageEvents(limitStop(delivered, usage, this.#identity));
    const last = this.#lastWith(usage);
    return last === null ? stop : Buffer.concat([last, stop]);
  }

  /** The end that waits, showing the usage that was charged. */
  #lastWith(usage: TokenUsage): Buffer | null {
    if (this.#last === null) return null;
    const { bytes, stated } = this.#last;
    if (shownMessagesUsage(this.#stated, usage) === null) return bytes;
    return putMember(
      bytes,
      "usage",
      JSON.stringify(shownMessagesUsage(isRecord(stated) ? stated : {}, usage) ?? stated),
    );
  }

  /**
   * As the official SDK puts it together: what is told takes the place of what was told before, a
   * zero too.
   */
  #reported(usage: Record<string, unknown>): void {
    for (const [name, value] of Object.entries(usage))
      if (value !== null) this.#stated[name] = value;
  }

  #note({ type, data, stopReason }: MessageEvent): void {
    const { index, message } = data;
    if (type === "message_start") {
      // The output there is a placeholder.
      if (isRecord(message)) this.#stated = { ...fieldsOf(message["usage"]), output_tokens: null };
    } else if (type === "message_delta") this.#reported(fieldsOf(data["usage"]));
    if (type === "message_start") this.#started = true;
    else if (type === "content_block_start" && typeof index === "number")
      this.#openBlocks.add(index);
    else if (type === "content_block_stop" && typeof index === "number")
      this.#openBlocks.delete(index);
    this.#finished ||= stopReason !== null;
  }

  #bytesOf(frame: Frame, event: MessageEvent): Buffer {
    const { answerModel } = this.#identity;
    const bytes =
      event.type === "message_start" && answerModel !== null
        ? renameModel(frame.bytes, answerModel, "message")
        : frame.bytes;
    // Without its name an event is skipped by the official SDKs, and the answer would look empty.
    return event.unnamed ? Buffer.concat([Buffer.from(`event: ${event.type}\n`), bytes]) : bytes;
  }
}
