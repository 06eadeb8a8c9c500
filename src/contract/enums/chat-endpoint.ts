/** Under which endpoints chat is served, and under which all that is charged. */
import { CALL_ENDPOINTS, CALL_TYPE_OF, type CallEndpoint } from "./call-endpoint.ts";
import type { RequestKind } from "./request-kind.ts";

/** A model's `endpoints`, and a receipt's where it is of a chat. */
export const CHAT_ENDPOINTS = ["chat.completions", "messages"] as const;
export type ChatEndpoint = (typeof CHAT_ENDPOINTS)[number];

/** Of what is answered at once: its receipt is its entry in the books. */
export type AnsweredEndpoint = ChatEndpoint | CallEndpoint;
export const ANSWERED_ENDPOINTS: readonly AnsweredEndpoint[] = [
  ...CHAT_ENDPOINTS,
  ...CALL_ENDPOINTS,
];

/** As receipts name where a request came in. */
export type RequestEndpoint = AnsweredEndpoint | "tasks";
export const REQUEST_ENDPOINTS: readonly RequestEndpoint[] = [...ANSWERED_ENDPOINTS, "tasks"];

export function kindOfEndpoint(endpoint: AnsweredEndpoint): Exclude<RequestKind, "task"> {
  return isChatEndpoint(endpoint) ? "chat" : CALL_TYPE_OF[endpoint];
}

function isChatEndpoint(endpoint: AnsweredEndpoint): endpoint is ChatEndpoint {
  return CHAT_ENDPOINTS.some((known) => known === endpoint);
}
