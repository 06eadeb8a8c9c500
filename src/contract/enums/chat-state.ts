/** How a chat request ended, as its receipt tells. */

/** `interrupted`: the upstream broke off. `client_gone`: the caller went away. */
export const CHAT_STATES = [
  "completed",
  "interrupted",
  "stopped_by_balance",
  "client_gone",
  "failed",
] as const;
export type ChatState = (typeof CHAT_STATES)[number];
