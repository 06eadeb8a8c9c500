/** Where the lines of a batch would be sent one by one: every chat, and calls that are JSON both ways. */
import type { CallEndpoint } from "./call-endpoint.ts";
import { CHAT_ENDPOINTS, type ChatEndpoint } from "./chat-endpoint.ts";

export const BATCH_CALL_ENDPOINTS = [
  "embeddings",
  "completions",
  "moderations",
] as const satisfies readonly CallEndpoint[];
export type BatchCallEndpoint = (typeof BATCH_CALL_ENDPOINTS)[number];

export const BATCH_ENDPOINTS = [...CHAT_ENDPOINTS, ...BATCH_CALL_ENDPOINTS] as const;
export type BatchEndpoint = ChatEndpoint | BatchCallEndpoint;

export function isBatchCall(endpoint: BatchEndpoint): endpoint is BatchCallEndpoint {
  return BATCH_CALL_ENDPOINTS.some((known) => known === endpoint);
}
