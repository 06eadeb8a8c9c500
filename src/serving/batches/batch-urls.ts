/** What the lines of a batch say of where they would be sent one by one. */
import type { ChatEndpoint } from "../../contract/enums/chat-endpoint.ts";

export const BATCH_URLS: Readonly<Record<ChatEndpoint, string>> = {
  "chat.completions": "/v1/chat/completions",
  messages: "/v1/messages",
  responses: "/v1/responses",
};

/** Those that a file of the OpenAI protocol can be for. */
export const FILE_ENDPOINTS: readonly ChatEndpoint[] = (
  Object.keys(BATCH_URLS) as ChatEndpoint[]
).filter((endpoint) => endpoint !== "messages");

/** Null for any other text. */
export function endpointOfUrl(url: string): ChatEndpoint | null {
  return FILE_ENDPOINTS.find((endpoint) => BATCH_URLS[endpoint] === url) ?? null;
}
