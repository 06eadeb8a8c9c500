/** The Responses dialect, put together. */
import type { Dialect } from "../dialect.ts";
import { errorBody } from "../openai/error-body.ts";
import { modelBody, modelsBody } from "../openai/models-body.ts";
import { answerEvents } from "./answer-events.ts";
import { readRequest } from "./read-request.ts";
import { wholeAnswer } from "./whole-answer.ts";

export const responsesDialect: Dialect = {
  read: readRequest,
  events: answerEvents,
  whole: wholeAnswer,
  error: errorBody,
  model: modelBody,
  models: modelsBody,
  errorEvent: (message) =>
    `event: error\ndata: ${JSON.stringify({ type: "error", code: "server_error", message, param: null, sequence_number: 0 })}\n\n`,
};
