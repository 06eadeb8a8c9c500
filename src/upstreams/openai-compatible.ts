/** How a chat call is put to an upstream that speaks the OpenAI Chat Completions protocol. */
import { createChatPost, partsOf } from "./chat-post.ts";

/** Builds `POST {baseUrl}/chat/completions`. */
export const openAiChatRequest = createChatPost((target, credential) => {
  const { origin, path, query } = partsOf(target);
  return {
    origin,
    path: `${path}/chat/completions${query}`,
    headers: { authorization: `Bearer ${credential}` },
  };
});
