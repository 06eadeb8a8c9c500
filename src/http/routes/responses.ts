/**
 * The Responses protocol: what OpenAPI says about `POST /v1/responses`, which is served on the raw
 * request, and the path's answer to those who would speak over a WebSocket.
 */
import { Compaction, CompactRequestBody } from "../../contract/compaction.ts";
import { Response, ResponseEvent } from "../../contract/response.ts";
import { ResponsesRequestBody } from "../../contract/responses-request.ts";
import type { RawRoute } from "../route.ts";
import {
  CHAT_COMPLETIONS_RATE_LIMITS,
  CHAT_RESPONSE_HEADERS,
  DROPPED_TOOLS,
  IDEMPOTENCY_KEY,
} from "./chat-headers.ts";

export const responsesRoute: RawRoute = {
  method: "POST",
  path: "/v1/responses",
  access: "raw",
  doc: {
    operationId: "createResponse",
    summary: "A response, whole or streamed",
    description:
      "The OpenAI Responses protocol; official SDKs and agents work as they are, whatever protocol the upstream of the model speaks. With `stream: true` the answer is server-sent events, " +
      "from `response.created` to exactly one of `response.completed`, `response.incomplete` and `response.failed`; after the last of these the connection breaks off.\n\n" +
      "Tools that a provider would run are left out where the model has no price for them, because clients send them unasked; the header `x-tollgate-dropped-tools` and the receipt name them.\n\n" +
      "The balance is never overspent: money is held while the answer grows, and where it runs out the answer ends properly as `incomplete` with the reason `max_output_tokens`. " +
      "402 means that the balance, or the key's own limit, does not cover the prompt and a short answer.",
    tag: "Chat",
    headers: IDEMPOTENCY_KEY,
    requestBody: ResponsesRequestBody,
    responses: {
      200: {
        description: "The answer.",
        content: { "application/json": Response, "text/event-stream": ResponseEvent },
      },
    },
    responseHeaders: {
      ...CHAT_RESPONSE_HEADERS,
      ...DROPPED_TOOLS,
      ...CHAT_COMPLETIONS_RATE_LIMITS,
    },
    errors: [400, 401, 402, 403, 404, 408, 409, 410, 413, 415, 429, 502, 503, 504],
  },
};

export const compactRoute: RawRoute = {
  method: "POST",
  path: "/v1/responses/compact",
  access: "raw",
  doc: {
    operationId: "compactResponse",
    summary: "A summary that takes the place of a conversation",
    description:
      "The model sums the conversation up, for the price of an ordinary request; `POST /v1/quote/responses` tells it before, for the same input with a last item `compaction_trigger`. The answer is given whole: " +
      "instructions and what the user said, and behind them one item of type `compaction`, sealed for the account. Send the output as the beginning of the next `input`, to any model.",
    tag: "Chat",
    headers: IDEMPOTENCY_KEY,
    requestBody: CompactRequestBody,
    responses: {
      200: { description: "The summary.", content: { "application/json": Compaction } },
    },
    responseHeaders: {
      ...CHAT_RESPONSE_HEADERS,
      ...DROPPED_TOOLS,
      ...CHAT_COMPLETIONS_RATE_LIMITS,
    },
    errors: [400, 401, 402, 403, 404, 408, 409, 410, 413, 415, 429, 502, 503, 504],
  },
};
