/** Under which endpoints a chat model is served, by what its entry says. */
import { CHAT_ENDPOINTS, type ChatEndpoint } from "../contract/enums/chat-endpoint.ts";

/** Takes the Responses API away from a model that is served under Chat Completions. */
export const NO_RESPONSES = "no-responses";
export type WrittenEndpoint = ChatEndpoint | typeof NO_RESPONSES;

/** A model that is served by Chat Completions is served by Responses, too (contract §13). */
export function servedEndpoints(written: readonly WrittenEndpoint[]): readonly ChatEndpoint[] {
  const implied = written.includes("chat.completions") && !written.includes(NO_RESPONSES);
  return CHAT_ENDPOINTS.filter(
    (endpoint) => written.includes(endpoint) || (endpoint === "responses" && implied),
  );
}
