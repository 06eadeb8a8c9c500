/**
 * The Messages protocol: what OpenAPI says about `POST /v1/messages`, which is served on the raw
 * request, and the route that counts.
 */
import type { IncomingHttpHeaders } from "node:http";
import { Message, MessageEvent, MessageTokens } from "../../contract/message.ts";
import { CountTokensRequestBody, MessagesRequestBody } from "../../contract/messages-request.ts";
import type { MessageCount } from "../../serving/chat/count-message-tokens.ts";
import { CHAT_BODY_LIMIT_BYTES } from "../../kernel/limits.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import type { RawRoute, Route } from "../route.ts";
import { bytesRoute } from "../route.ts";
import { CHAT_RESPONSE_HEADERS, IDEMPOTENCY_KEY, MESSAGES_RATE_LIMITS } from "./chat-headers.ts";

export interface MessagesRouteDeps {
  /**
   * Throws what a message would be refused with before its hold. `target` is the path with its
   * query.
   */
  countMessageTokens(call: {
    readonly key: KeyRecord;
    readonly ip: string;
    readonly body: Buffer;
    readonly headers: IncomingHttpHeaders;
    readonly target: string;
  }): Promise<MessageCount>;
}

/** They reach an upstream of the same protocol byte for byte. */
const PROTOCOL_HEADERS = {
  "anthropic-version": {
    description: "The protocol's version; passed on to an upstream of the same protocol.",
    example: "2023-06-01",
  },
  "anthropic-beta": {
    description:
      "Comma-separated betas; passed on to an upstream of the same protocol, of no meaning for others.",
    example: "interleaved-thinking-2025-05-14",
  },
};

const messagesRoute: RawRoute = {
  method: "POST",
  path: "/v1/messages",
  access: "raw",
  doc: {
    operationId: "createMessage",
    summary: "A message, whole or streamed",
    description:
      "The Anthropic Messages protocol; the official SDKs and Claude Code work as they are. With `stream: true` the answer is server-sent events from `message_start` to `message_stop`, " +
      "with a `ping` where the upstream is silent; a stream that fails after its first byte ends with an `error` event, and the connection breaks off.\n\n" +
      "Ids of a family (`claude-…` unless the catalogue says otherwise) stand for its current model: the answer and the price are that model's, the receipt has both names.\n\n" +
      'The balance is never overspent: money is held while the answer grows, and where it runs out the answer ends properly with `stop_reason: "max_tokens"`. ' +
      "402 means that the balance, or the key's own limit, does not cover the prompt and a short answer.",
    tag: "Chat",
    headers: { ...PROTOCOL_HEADERS, ...IDEMPOTENCY_KEY },
    requestBody: MessagesRequestBody,
    responses: {
      200: {
        description: "The answer.",
        content: { "application/json": Message, "text/event-stream": MessageEvent },
      },
    },
    responseHeaders: { ...CHAT_RESPONSE_HEADERS, ...MESSAGES_RATE_LIMITS },
    errors: [400, 401, 402, 403, 404, 408, 409, 410, 413, 415, 429, 502, 504, 529],
  },
};

export function messagesRoutes(deps: MessagesRouteDeps): Route[] {
  return [
    messagesRoute,
    bytesRoute({
      method: "POST",
      path: "/v1/messages/count_tokens",
      bodyLimitBytes: CHAT_BODY_LIMIT_BYTES,
      doc: {
        operationId: "countMessageTokens",
        summary: "How many tokens a prompt has",
        description:
          "Costs nothing. Every model that is served at `POST /v1/messages` is counted: by the upstream where it speaks this protocol, else by our tokenizer. " +
          "What a message then costs rests on the upstream's usage, never on this count.",
        tag: "Chat",
        headers: PROTOCOL_HEADERS,
        requestBody: CountTokensRequestBody,
        responses: {
          200: { description: "The count.", content: { "application/json": MessageTokens } },
        },
        errors: [400, 401, 403, 404, 408, 413, 415],
      },
      handle: async ({ key, body, clientAddress: ip, headers, target }) => ({
        content: { json: await deps.countMessageTokens({ key, ip, body, headers, target }) },
      }),
    }),
  ];
}
