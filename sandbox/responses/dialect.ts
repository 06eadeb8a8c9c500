/** The Responses dialect, put together. */
import type { Dialect, Served } from "../dialect.ts";
import { errorBody } from "../openai/error-body.ts";
import { modelBody, modelsBody } from "../openai/models-body.ts";
import { answerEvents } from "./answer-events.ts";
import { createKeptItems } from "./kept-items.ts";
import { readRequest } from "./read-request.ts";
import { itemsOf, wholeAnswer } from "./whole-answer.ts";

export function createResponsesDialect(): Dialect {
  const kept = createKeptItems();
  const keep = (served: Served): void => {
    if (served.body.store === false) return;
    for (const answer of served.answers) kept.add(itemsOf(served, answer, "sealed"));
  };
  return {
    read: (body) => readRequest(body, kept),
    events(served) {
      keep(served);
      return answerEvents(served);
    },
    whole(served) {
      keep(served);
      return wholeAnswer(served);
    },
    error: errorBody,
    model: modelBody,
    models: modelsBody,
    errorEvent: (message) =>
      `event: error\ndata: ${JSON.stringify({ type: "error", code: "server_error", message, param: null, sequence_number: 0 })}\n\n`,
  };
}
