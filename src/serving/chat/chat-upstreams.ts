/** How upstreams of each protocol of chat are called. */
import type { ChatProtocol } from "../../contract/enums/upstream-protocol.ts";
import { anthropicUpstream } from "../../protocol/anthropic/upstream.ts";
import { openAiUpstream } from "../../protocol/openai/upstream.ts";
import { responsesUpstream } from "../../protocol/responses/upstream.ts";
import { anthropicMessagesRequest } from "../../upstreams/anthropic-messages.ts";
import { openAiChatRequest } from "../../upstreams/openai-compatible.ts";
import { openAiResponsesRequest } from "../../upstreams/openai-responses.ts";
import type { ChatUpstream } from "./chat-upstream.ts";

export const CHAT_UPSTREAMS: Readonly<Record<ChatProtocol, ChatUpstream>> = {
  openai: { dialect: openAiUpstream, buildRequest: openAiChatRequest },
  anthropic: { dialect: anthropicUpstream, buildRequest: anthropicMessagesRequest },
  responses: { dialect: responsesUpstream, buildRequest: openAiResponsesRequest },
};
