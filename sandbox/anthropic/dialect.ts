/** The anthropic Messages dialect, put together. */
import type { Dialect } from "../dialect.ts";
import { answerEvents } from "./answer-events.ts";
import { errorBody } from "./error-body.ts";
import { modelBody, modelsBody } from "./models-body.ts";
import { readRequest } from "./read-request.ts";
import { wholeAnswer } from "./whole-answer.ts";

export const anthropicDialect: Dialect = {
  read: (body, headers) => readRequest(body, headers, "message"),
  events: answerEvents,
  whole: wholeAnswer,
  error: errorBody,
  model: modelBody,
  models: modelsBody,
  errorEvent: (message) =>
    `event: error\ndata: ${JSON.stringify(errorBody({ status: 529, message, param: null }))}\n\n`,
};
