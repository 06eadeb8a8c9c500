/** The openai Chat Completions dialect, put together. */
import type { Dialect } from "../dialect.ts";
import { answerEvents } from "./answer-events.ts";
import { errorBody } from "./error-body.ts";
import { modelBody, modelsBody } from "./models-body.ts";
import { readRequest } from "./read-request.ts";
import { wholeAnswer } from "./whole-answer.ts";

export const openaiDialect: Dialect = {
  read: readRequest,
  events: answerEvents,
  whole: wholeAnswer,
  error: errorBody,
  model: modelBody,
  models: modelsBody,
  errorEvent: (message) =>
    `data: ${JSON.stringify(errorBody({ status: 500, message, param: null }))}\n\n`,
};
