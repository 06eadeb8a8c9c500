/** What the lines of a batch say of where they would be sent one by one. */
import { BATCH_ENDPOINTS, type BatchEndpoint } from "../../contract/enums/batch-endpoint.ts";

export const BATCH_URLS: Readonly<Record<BatchEndpoint, string>> = {
  "chat.completions": "/v1/chat/completions",
  messages: "/v1/messages",
  responses: "/v1/responses",
  embeddings: "/v1/embeddings",
  completions: "/v1/completions",
  moderations: "/v1/moderations",
};

/** Those that a file of the OpenAI protocol can be for. */
export const FILE_ENDPOINTS: readonly BatchEndpoint[] = BATCH_ENDPOINTS.filter(
  (endpoint) => endpoint !== "messages",
);

/** Null for any other text. */
export function endpointOfUrl(url: string): BatchEndpoint | null {
  return FILE_ENDPOINTS.find((endpoint) => BATCH_URLS[endpoint] === url) ?? null;
}
