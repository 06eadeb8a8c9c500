/** How a chat call is put to an upstream that speaks the OpenAI Chat Completions protocol. */
import type { OutgoingRequest } from "../net/outgoing.ts";
import { chatPost, type ChatUpstreamCall, type UpstreamTarget } from "./chat-post.ts";

/** Builds `POST {baseUrl}/chat/completions`. */
export function openAiChatRequest(target: UpstreamTarget, call: ChatUpstreamCall): OutgoingRequest {
  const base = new URL(target.baseUrl);
  return chatPost(target, call, {
    path: `${base.pathname.replace(/\/+$/, "")}/chat/completions${base.search}`,
    headers: { authorization: `Bearer ${call.credential}` },
  });
}
