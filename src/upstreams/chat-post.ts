/**
 * What a call to a chat upstream is made of in every protocol: where it goes, how it is sent, how
 * long each part of it may take.
 */
import type { OutgoingRequest } from "../net/outgoing.ts";

/** What an adapter needs to know of a configured upstream (contract §12). */
export interface UpstreamTarget {
  /**
   * Written as the URL standard writes addresses; ends before the protocol's own path, as in
   * `https://api.example.com/v1`.
   */
  readonly baseUrl: string;
  readonly timeoutsMs: {
    readonly connect: number;
    readonly firstByte: number;
    readonly idle: number;
  };
}

export interface ChatUpstreamCall {
  readonly body: Buffer;
  readonly credential: string;
  readonly stream: boolean;
  /** The W3C trace header that the call carries; null for none. */
  readonly traceparent: string | null;
  /**
   * Headers of the caller that belong to the upstream's protocol, names in lower case; none where
   * the call is translated.
   */
  readonly forward: Readonly<Record<string, string>>;
  /** With its question mark; empty for none. */
  readonly query: string;
}

/** The parts of a target's address. */
export interface TargetParts {
  readonly origin: string;
  /** Without a slash at its end. */
  readonly path: string;
  /** With its question mark; empty for none. */
  readonly query: string;
}

const SLASH = 0x2f;

/** A catalogue's addresses are parsed when it is read, not again for each call. */
export function partsOf({ baseUrl }: UpstreamTarget): TargetParts {
  const queryAt = baseUrl.indexOf("?");
  const slashAt = baseUrl.indexOf("/", baseUrl.indexOf("//") + 2);
  const end = queryAt === -1 ? baseUrl.length : queryAt;
  const pathAt = slashAt === -1 || slashAt > end ? end : slashAt;
  let pathEnd = end;
  while (pathEnd > pathAt && baseUrl.charCodeAt(pathEnd - 1) === SLASH) pathEnd -= 1;
  return {
    origin: baseUrl.slice(0, pathAt),
    path: baseUrl.slice(pathAt, pathEnd),
    query: baseUrl.length > end + 1 ? baseUrl.slice(end) : "",
  };
}

/**
 * `path` begins with a slash; `headers` are the protocol's own, and those of every protocol are put
 * to them. Answers are asked for uncompressed, because stream bytes are passed on as they are.
 */
export function chatPost(
  target: UpstreamTarget,
  call: ChatUpstreamCall,
  own: { readonly origin: string; readonly path: string; readonly headers: Record<string, string> },
): OutgoingRequest {
  const { origin, path, headers } = own;
  headers["content-type"] = "application/json";
  headers["accept"] = call.stream ? "text/event-stream" : "application/json";
  headers["accept-encoding"] = "identity";
  headers["user-agent"] = "tollgate";
  if (call.traceparent !== null) headers["traceparent"] = call.traceparent;
  return {
    origin,
    path,
    method: "POST",
    headers,
    body: call.body,
    connectTimeoutMs: target.timeoutsMs.connect,
    firstByteTimeoutMs: target.timeoutsMs.firstByte,
    idleTimeoutMs: target.timeoutsMs.idle,
  };
}
