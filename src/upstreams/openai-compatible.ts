/** How a chat call is put to an upstream that speaks the OpenAI Chat Completions protocol. */
import type { OutgoingRequest } from "../net/outgoing.ts";

/** What the adapter needs to know of a configured upstream (contract §12). */
export interface UpstreamTarget {
  /** Ends before `/chat/completions`, as in `https://api.example.com/v1`. */
  readonly baseUrl: string;
  readonly timeoutsMs: { readonly connect: number; readonly firstByte: number; readonly idle: number };
}

export interface ChatUpstreamCall {
  readonly body: Buffer;
  readonly credential: string;
  readonly stream: boolean;
  /** The W3C trace header that the call carries; null for none. */
  readonly traceparent: string | null;
}

/** Builds `POST {baseUrl}/chat/completions`. Answers are asked for uncompressed, because stream bytes are passed on as they are. */
export function openAiChatRequest(target: UpstreamTarget, call: ChatUpstreamCall): OutgoingRequest {
  const base = new URL(target.baseUrl);
  return {
    origin: base.origin,
    path: `${base.pathname.replace(/\/+$/, "")}/chat/completions${base.search}`,
    method: "POST",
    headers: {
      authorization: `Bearer ${call.credential}`,
      "content-type": "application/json",
      accept: call.stream ? "text/event-stream" : "application/json",
      "accept-encoding": "identity",
      "user-agent": "tollgate",
      ...(call.traceparent === null ? {} : { traceparent: call.traceparent }),
    },
    body: call.body,
    connectTimeoutMs: target.timeoutsMs.connect,
    firstByteTimeoutMs: target.timeoutsMs.firstByte,
    idleTimeoutMs: target.timeoutsMs.idle,
  };
}
