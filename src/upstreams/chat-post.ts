/** What a call to a chat upstream is made of in every protocol: where it goes, how it is sent, how long each part of it may take. */
import type { OutgoingRequest } from "../net/outgoing.ts";

/** What an adapter needs to know of a configured upstream (contract §12). */
export interface UpstreamTarget {
  /** Ends before the protocol's own path, as in `https://api.example.com/v1`. */
  readonly baseUrl: string;
  readonly timeoutsMs: { readonly connect: number; readonly firstByte: number; readonly idle: number };
}

export interface ChatUpstreamCall {
  readonly body: Buffer;
  readonly credential: string;
  readonly stream: boolean;
  /** The W3C trace header that the call carries; null for none. */
  readonly traceparent: string | null;
  /** Headers of the caller that belong to the upstream's protocol, names in lower case; none where the call is translated. */
  readonly forward: Readonly<Record<string, string>>;
  /** With its question mark; empty for none. */
  readonly query: string;
}

/** `path` begins with a slash. Answers are asked for uncompressed, because stream bytes are passed on as they are. */
export function chatPost(
  target: UpstreamTarget,
  call: ChatUpstreamCall,
  own: { readonly path: string; readonly headers: Readonly<Record<string, string>> },
): OutgoingRequest {
  return {
    origin: new URL(target.baseUrl).origin,
    path: own.path,
    method: "POST",
    headers: {
      ...own.headers,
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
