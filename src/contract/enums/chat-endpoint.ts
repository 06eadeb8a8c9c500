/** Under which endpoints chat is served, and under which all that is charged. */

/** A model's `endpoints`, and a receipt's where it is of a chat. */
export const CHAT_ENDPOINTS = ["chat.completions", "messages", "responses"] as const;
export type ChatEndpoint = (typeof CHAT_ENDPOINTS)[number];

/** As receipts name where a request came in. */
export const REQUEST_ENDPOINTS = [...CHAT_ENDPOINTS, "tasks"] as const;
export type RequestEndpoint = (typeof REQUEST_ENDPOINTS)[number];
