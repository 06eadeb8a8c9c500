/** How a chat call is put to an upstream that speaks the OpenAI Chat Completions protocol. */
import type { OutgoingRequest } from "../net/outgoing.ts";
import { chatPost, partsOf, type ChatUpstreamCall, type UpstreamTarget } from "./chat-post.ts";

/** Builds `POST {baseUrl}/chat/completions`. */
export function openAiChatRequest(target: UpstreamTarget, call: ChatUpstreamCall): OutgoingRequest {
  const { origin, path, query } = partsOf(target);
  return chatPost(target, call, {
    origin,
    path: `${path}/chat/completions${query}`,
    headers: { authorization: `Bearer ${call.credential}` },
  });
}
