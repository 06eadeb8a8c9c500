/** What the gateway needs of a protocol to call an upstream that speaks it. */
import type { UpstreamConfig } from "../../catalogue/catalogue.ts";
import { type ChatProtocol, isChatProtocol } from "../../contract/enums/upstream-protocol.ts";
import type { OutgoingRequest } from "../../net/outgoing.ts";
import type { UpstreamDialect } from "../../protocol/chat-dialect.ts";
import type { ChatUpstreamCall } from "../../upstreams/chat-post.ts";

export interface ChatUpstream {
  readonly dialect: UpstreamDialect;
  buildRequest(upstream: UpstreamConfig, call: ChatUpstreamCall): OutgoingRequest;
}

/** By protocol; a route to an upstream of another protocol is no route for chat. */
export type ChatUpstreams = Readonly<Partial<Record<ChatProtocol, ChatUpstream>>>;

/** Null for a protocol that is not one of chat. */
export function chatUpstreamOf(
  upstreams: ChatUpstreams,
  protocol: UpstreamConfig["protocol"],
): ChatUpstream | null {
  return isChatProtocol(protocol) ? (upstreams[protocol] ?? null) : null;
}
