/** How a chat call is put to an upstream that speaks the OpenAI Responses protocol. */
import { createChatPost, partsOf } from "./chat-post.ts";

/** Builds `POST {baseUrl}/responses`. */
export const openAiResponsesRequest = createChatPost((target, credential) => {
  const { origin, path, query } = partsOf(target);
  return {
    origin,
    path: `${path}/responses${query}`,
    headers: { authorization: `Bearer ${credential}` },
  };
});
