/** How a chat call is put to an upstream that speaks the Anthropic Messages protocol. */
import type { OutgoingRequest } from "../net/outgoing.ts";
import { chatPost, partsOf, type ChatUpstreamCall, type UpstreamTarget } from "./chat-post.ts";

/** The version that the official SDKs send; the protocol demands one. */
const DEFAULT_VERSION = "2023-06-01";

/** `https://api.example.com`, `…/v1` and `…/v1/` all name the same upstream. */
function post(endpoint: string, target: UpstreamTarget, call: ChatUpstreamCall): OutgoingRequest {
  const { origin, path, query } = partsOf(target);
  const versioned = path.endsWith("/v1") ? path : `${path}/v1`;
  return chatPost(target, call, {
    origin,
    path: `${versioned}${endpoint}${joinQueries(query, call.query)}`,
    headers: {
      "anthropic-version": DEFAULT_VERSION,
      ...call.forward,
      "x-api-key": call.credential,
    },
  });
}

/** Both with their question mark, or empty. */
function joinQueries(own: string, callers: string): string {
  if (own === "") return callers;
  return callers === "" ? own : `${own}&${callers.slice(1)}`;
}

/**
 * Builds `POST {baseUrl}/v1/messages`, where `/v1` may end the base already. The caller's
 * `anthropic-version` and `anthropic-beta` go on as they came (`call.forward`), as does its query.
 */
export function anthropicMessagesRequest(
  target: UpstreamTarget,
  call: ChatUpstreamCall,
): OutgoingRequest {
  return post("/messages", target, call);
}

/** Builds `POST {baseUrl}/v1/messages/count_tokens` by the same rules. */
export function anthropicCountTokensRequest(
  target: UpstreamTarget,
  call: ChatUpstreamCall,
): OutgoingRequest {
  return post("/messages/count_tokens", target, call);
}
