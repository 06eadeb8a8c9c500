/**
 * Where each endpoint of chat is served, below `/v1` and in the playground, and whose errors it
 * speaks: a new one is a line here.
 */
import type { ChatEndpoint } from "../contract/enums/chat-endpoint.ts";
import type { ErrorFamily } from "./error-family.ts";

export interface ChatPlace {
  readonly path: string;
  readonly errors: ErrorFamily;
}

export const CHAT_PLACES: Readonly<Record<ChatEndpoint, ChatPlace>> = {
  "chat.completions": { path: "/chat/completions", errors: "openai" },
  messages: { path: "/messages", errors: "anthropic" },
  responses: { path: "/responses", errors: "openai" },
};
