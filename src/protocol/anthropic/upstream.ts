/** The Messages protocol as that of an upstream. */
import type { UpstreamDialect } from "../chat-dialect.ts";
import { createMessageAssembler } from "./assemble-message.ts";
import { createMessagesFrameReader } from "./create-frame-reader.ts";
import { answerEvents, createEventReader } from "./events-from-frames.ts";
import { readMessage } from "./read-message.ts";
import { writeMessagesRequest } from "./request-from-neutral.ts";
import { streamMessage } from "./stream-message.ts";

export const anthropicUpstream: UpstreamDialect = {
  protocol: "anthropic",
  createFrameReader: createMessagesFrameReader,
  readAnswer: readMessage,
  streamOf: streamMessage,
  createAssembler: createMessageAssembler,
  createEventReader,
  answerEvents,
  writeRequest: writeMessagesRequest,
};
