/** The dialect of each endpoint of chat. */
import type { ChatEndpoint } from "../contract/enums/chat-endpoint.ts";
import { anthropicDialect } from "./anthropic/dialect.ts";
import type { ChatDialect } from "./chat-dialect.ts";
import { openAiDialect } from "./openai/dialect.ts";
import { responsesDialect } from "./responses/dialect.ts";

export const CHAT_DIALECTS: Readonly<Record<ChatEndpoint, ChatDialect>> = {
  "chat.completions": openAiDialect,
  messages: anthropicDialect,
  responses: responsesDialect,
};
