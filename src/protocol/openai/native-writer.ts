/** An OpenAI-protocol upstream's stream for a caller of the same protocol: bytes pass, all but the usage chunk that nobody asked for. */
import type { AnswerIdentity, Frame, StreamWriter } from "../chat-dialect.ts";
import { renameModel } from "../json/rename-model.ts";
import { chunkOf } from "./create-frame-reader.ts";
import { limitStop } from "./limit-stop.ts";
import { createStreamState } from "./stream-state.ts";

export function createChunkPasser(identity: AnswerIdentity): StreamWriter {
  const { includeUsage, answerModel } = identity;
  const state = createStreamState();

  function bytesOf(frame: Frame): Buffer {
    const named = typeof frame.payload?.["model"] === "string";
    return answerModel === null || !named ? frame.bytes : renameModel(frame.bytes, answerModel);
  }

  return {
    write(frame) {
      const chunk = chunkOf(frame);
      if (chunk !== null) state.add(chunk);
      return chunk !== null && chunk.usageOnly && !includeUsage ? null : bytesOf(frame);
    },
    end: (done) => done?.bytes ?? null,
    limitStop: (usage) => limitStop({ state, usage: includeUsage ? usage : null, identity }),
  };
}
