/**
 * What OpenAPI says about `POST /v1/chat/completions`; it is served on the raw request by
 * chat-route.ts.
 */
import { ChatCompletion, ChatCompletionChunk } from "../../contract/chat-completion.ts";
import { ChatRequestBody } from "../../contract/chat-request.ts";
import type { RawRoute } from "../route.ts";
import {
  CHAT_COMPLETIONS_RATE_LIMITS,
  CHAT_RESPONSE_HEADERS,
  IDEMPOTENCY_KEY,
} from "./chat-headers.ts";

export const chatCompletionsRoute: RawRoute = {
  method: "POST",
  path: "/v1/chat/completions",
  access: "raw",
  doc: {
    operationId: "createChatCompletion",
    summary: "A chat completion, whole or streamed",
    description:
      "The OpenAI Chat Completions protocol; official SDKs work as they are. With `stream: true` the answer is server-sent events, each a chunk, then `data: [DONE]`; " +
      "a stream that fails after its first byte ends with an event that has `error`, and the connection breaks off.\n\n" +
      'The balance is never overspent: money is held while the answer grows, and where it runs out the answer ends properly with `finish_reason: "length"`. ' +
      "402 means that the balance, or the key's own limit, does not cover the prompt and a short answer.",
    tag: "Chat",
    headers: IDEMPOTENCY_KEY,
    requestBody: ChatRequestBody,
    responses: {
      200: {
        description: "The answer.",
        content: { "application/json": ChatCompletion, "text/event-stream": ChatCompletionChunk },
      },
    },
    responseHeaders: { ...CHAT_RESPONSE_HEADERS, ...CHAT_COMPLETIONS_RATE_LIMITS },
    errors: [400, 401, 402, 403, 404, 408, 409, 410, 413, 415, 429, 502, 503, 504],
  },
};
