/**
 * `POST /v1/quote/tasks/{model}`: what a task would cost, with the very body that it would be
 * ordered with.
 */
import { TaskQuote, TaskRequestBody } from "../../contract/task.ts";
import { quoteTask, type QuoteDeps } from "../../serving/tasks/quote-task.ts";
import { JSON_BODY_LIMIT_BYTES } from "../../kernel/limits.ts";
import { checkJsonType } from "../read-json-body.ts";
import type { Route } from "../route.ts";
import { bytesRoute } from "../route.ts";
import { success } from "../success.ts";
import { taskQuoteBody } from "../task-quote-body.ts";
import { taskExamples } from "./task-examples.ts";

export function taskQuoteRoutes(deps: QuoteDeps): Route[] {
  return [
    bytesRoute({
      method: "POST",
      path: "/v1/quote/tasks/{model}",
      catchAll: true,
      bodyLimitBytes: JSON_BODY_LIMIT_BYTES,
      doc: {
        operationId: "quoteTask",
        summary: "What a task would cost",
        description:
          "Takes the body that the task would have, holds nothing, charges nothing and calls nobody. What the order would be refused for is refused here the same way; where only the money is missing, the answer is a quote with `admitted: false` and the words of the refusal.",
        tag: "Tasks",
        pathParameters: {
          model: {
            description: "The model's id; slashes in it may be written raw or as %2F.",
            example: "seedance-2",
          },
        },
        requestBody: TaskRequestBody,
        requestExamples: taskExamples(),
        responses: {
          200: { description: "The quote.", content: { "application/json": TaskQuote } },
        },
        errors: [400, 401, 403, 408, 413, 415],
      },
      async handle({ key, clientAddress, params, headers, body }) {
        checkJsonType(headers);
        const quote = await quoteTask(deps, {
          key,
          ip: clientAddress,
          model: params["model"] ?? "",
          body,
          callbackUrl: null,
        });
        return success(taskQuoteBody(quote));
      },
    }),
  ];
}
