/** A Messages upstream's stream for a caller of the same protocol: bytes pass, but for the model's name where the answer must have another. */
import type { AnswerIdentity, Frame, StreamWriter } from "../chat-dialect.ts";
import { renameModel } from "../json/rename-model.ts";
import { messageEventOf } from "./create-frame-reader.ts";
import { limitStop } from "./limit-stop.ts";
import type { MessageEvent } from "./read-message-event.ts";
import { renderMessageEvents } from "./render-events.ts";

export function createMessagesNativeWriter(identity: AnswerIdentity): StreamWriter {
  const openBlocks = new Set<number>();
  let started = false;
  let finished = false;

  function note({ type, data, stopReason }: MessageEvent): void {
    const { index } = data;
    if (type === "message_start") started = true;
    else if (type === "content_block_start" && typeof index === "number") openBlocks.add(index);
    else if (type === "content_block_stop" && typeof index === "number") openBlocks.delete(index);
    finished ||= stopReason !== null;
  }

  function bytesOf(frame: Frame, event: MessageEvent | null): Buffer {
    const { answerModel } = identity;
    const bytes = event?.type === "message_start" && answerModel !== null ? renameModel(frame.bytes, answerModel, "message") : frame.bytes;
    // Without its name an event is skipped by the official SDKs, and the answer would look empty.
    return event?.unnamed === true ? Buffer.concat([Buffer.from(`event: ${event.type}\n`), bytes]) : bytes;
  }

  return {
    write(frame) {
      const event = messageEventOf(frame);
      if (event !== null) note(event);
      return bytesOf(frame, event);
    },
    end: (done) => (done === null ? null : bytesOf(done, messageEventOf(done))),
    limitStop: (usage) => renderMessageEvents(limitStop({ started, finished, openBlocks: [...openBlocks] }, usage, identity)),
  };
}
