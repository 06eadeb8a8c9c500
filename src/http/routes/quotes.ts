/**
 * `POST /v1/quote/…` for chat: what a request would hold and cost, with the very body that it would
 * be made with; nothing is charged.
 */
import { ChatRequestBody } from "../../contract/chat-request.ts";
import { CHAT_ENDPOINTS, type ChatEndpoint } from "../../contract/enums/chat-endpoint.ts";
import { MessagesRequestBody } from "../../contract/messages-request.ts";
import { ResponsesRequestBody } from "../../contract/responses-request.ts";
import { ChatQuote as ChatQuoteBody } from "../../contract/quote.ts";
import { CHAT_PLACES } from "../chat-places.ts";
import type { ChatQuote } from "../../serving/chat/quote-chat.ts";
import { CHAT_BODY_LIMIT_BYTES } from "../../kernel/limits.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import { chatQuoteBody } from "../chat-quote-body.ts";
import type { Route } from "../route.ts";
import { bytesRoute } from "../route.ts";

export interface QuotesRouteDeps {
  /** Throws what the request itself would be refused with before its hold. */
  quoteChat(
    endpoint: ChatEndpoint,
    call: { readonly key: KeyRecord; readonly ip: string; readonly body: Buffer },
  ): Promise<ChatQuote>;
}

const DESCRIPTION =
  "Takes the body that the request would have, holds nothing, charges nothing and calls nobody. A body, a model or a key that the request would be refused for is refused here the same way; " +
  "where only the money is missing the answer is a quote with `admitted: false` and the words of the refusal.";

const QUOTED = {
  "chat.completions": {
    operationId: "quoteChatCompletion",
    summary: "What a chat completion would hold and cost",
    requestBody: ChatRequestBody,
  },
  messages: {
    operationId: "quoteMessage",
    summary: "What a message would hold and cost",
    requestBody: MessagesRequestBody,
  },
  responses: {
    operationId: "quoteResponse",
    summary: "What a response would hold and cost",
    requestBody: ResponsesRequestBody,
  },
} satisfies Record<ChatEndpoint, object>;

export function quotesRoutes(deps: QuotesRouteDeps): Route[] {
  const quoted = {
    200: { description: "The quote.", content: { "application/json": ChatQuoteBody } },
  };
  return CHAT_ENDPOINTS.map((endpoint) =>
    bytesRoute({
      method: "POST",
      path: `/v1/quote${CHAT_PLACES[endpoint].path}`,
      bodyLimitBytes: CHAT_BODY_LIMIT_BYTES,
      doc: {
        ...QUOTED[endpoint],
        description: DESCRIPTION,
        tag: "Chat",
        responses: quoted,
        errors: [400, 401, 403, 404, 408, 413, 415],
      },
      handle: async ({ key, body, clientAddress: ip }) => ({
        content: { json: chatQuoteBody(await deps.quoteChat(endpoint, { key, ip, body })) },
      }),
    }),
  );
}
