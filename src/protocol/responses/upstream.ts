/** The Responses protocol as that of an upstream. */
import type { UpstreamDialect } from "../chat-dialect.ts";
import { createResponseAssembler } from "./assemble-response.ts";
import { createResponsesFrameReader } from "./create-frame-reader.ts";
import { answerEvents, createEventReader } from "./events-from-frames.ts";
import { readResponse } from "./read-answer.ts";
import { writeResponsesRequest } from "./request-from-neutral.ts";
import { streamResponse } from "./stream-response.ts";

export const responsesUpstream: UpstreamDialect = {
  protocol: "responses",
  createFrameReader: createResponsesFrameReader,
  readAnswer: readResponse,
  streamOf: streamResponse,
  createAssembler: createResponseAssembler,
  createEventReader,
  answerEvents,
  writeRequest: writeResponsesRequest,
};
