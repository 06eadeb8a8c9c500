/** How a chat call is put to an upstream that speaks the Anthropic Messages protocol. */
import type { OutgoingRequest } from "../net/outgoing.ts";
import { chatPost, type ChatUpstreamCall, type UpstreamTarget } from "./chat-post.ts";

/** The version that the official SDKs send; the protocol demands one. */
const DEFAULT_VERSION = "2023-06-01";

/** `https://api.example.com`, `…/v1` and `…/v1/` all name the same upstream. */
function pathUnder(base: URL, endpoint: string, query: string): string {
  const prefix = base.pathname.replace(/\/+$/, "");
  const versioned = prefix.endsWith("/v1") ? prefix : `${prefix}/v1`;
  const search = [base.search, query].map((part) => part.replace(/^\?/, "")).filter((part) => part !== "");
  return `${versioned}${endpoint}${search.length === 0 ? "" : `?${search.join("&")}`}`;
}

function post(endpoint: string, target: UpstreamTarget, call: ChatUpstreamCall): OutgoingRequest {
  return chatPost(target, call, {
    path: pathUnder(new URL(target.baseUrl), endpoint, call.query),
    headers: { "anthropic-version": DEFAULT_VERSION, ...call.forward, "x-api-key": call.credential },
  });
}

/**
 * Builds `POST {baseUrl}/v1/messages`, where `/v1` may end the base already. The caller's `anthropic-version` and `anthropic-beta` go on as
 * they came (`call.forward`), as does its query.
 */
export function anthropicMessagesRequest(target: UpstreamTarget, call: ChatUpstreamCall): OutgoingRequest {
  return post("/messages", target, call);
}

/** Builds `POST {baseUrl}/v1/messages/count_tokens` by the same rules. */
export function anthropicCountTokensRequest(target: UpstreamTarget, call: ChatUpstreamCall): OutgoingRequest {
  return post("/messages/count_tokens", target, call);
}
