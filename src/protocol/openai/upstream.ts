/** Chat Completions as the protocol of an upstream. */
import type { UpstreamDialect } from "../chat-dialect.ts";
import { createChunkAssembler } from "./create-assembler.ts";
import { createChunkFrameReader } from "./create-frame-reader.ts";
import { answerEvents, createEventReader } from "./events-from-frames.ts";
import { isFailedFinish } from "./finish-words.ts";
import { readPlainCompletion } from "./plain-completion.ts";
import { readCompletion } from "./read-completion.ts";
import { usedOfCompletion } from "./read-used.ts";
import { streamCompletion } from "./stream-completion.ts";
import { writeChatRequest } from "./request-from-neutral.ts";

export const openAiUpstream: UpstreamDialect = {
  protocol: "openai",
  createFrameReader: createChunkFrameReader,
  readAnswer(body, hide) {
    const plain = readPlainCompletion(body);
    if (plain !== null) return plain;
    const reading = readCompletion(body, hide);
    switch (reading.kind) {
      case "completion":
        if (reading.finishReasons.some((reason) => reason !== null && isFailedFinish(reason))) {
          return {
            kind: "error",
            error: { message: "The upstream's answer failed half-way.", status: null },
          };
        }
        return {
          kind: "answer",
          usage: reading.usage,
          text: reading.text,
          hasContent: reading.hasContent,
          finishReason: reading.finishReasons[0] ?? null,
          model: typeof reading.data["model"] === "string" ? reading.data["model"] : null,
          modelAt: null,
          used: usedOfCompletion(reading.data),
          reportedUsage: reading.data["usage"],
          data: reading.data,
        };
      case "error": {
        const { kind, ...error } = reading;
        return { kind, error };
      }
      case "garbage":
        return reading;
    }
  },
  streamOf: streamCompletion,
  createAssembler: createChunkAssembler,
  createEventReader,
  answerEvents,
  writeRequest: writeChatRequest,
};
