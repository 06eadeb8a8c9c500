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
 * to them.
 */
export function chatPost(
  target: UpstreamTarget,
  call: ChatUpstreamCall,
  { origin, path, headers }: CallHead,
): OutgoingRequest {
  return postOf(target, call, { origin, path, headers: { ...headers, ...headersOf(call.stream) } });
}

/** Where a call goes, and its headers. */
export interface CallHead {
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * As `chatPost`, for a protocol whose calls of one target by one credential all begin alike: made
 * once for each. Targets are as few as a catalogue has, and live as long.
 */
export function createChatPost(
  headOf: (target: UpstreamTarget, credential: string) => CallHead,
): (target: UpstreamTarget, call: ChatUpstreamCall) => OutgoingRequest {
  const heads = new WeakMap<UpstreamTarget, Map<string, readonly [CallHead, CallHead]>>();

  function bothOf(target: UpstreamTarget, credential: string): readonly [CallHead, CallHead] {
    const ofTarget = heads.get(target) ?? new Map<string, readonly [CallHead, CallHead]>();
    heads.set(target, ofTarget);
    const { origin, path, headers } = headOf(target, credential);
    const head = (stream: boolean): CallHead => ({
      origin,
      path,
      headers: { ...headers, ...headersOf(stream) },
    });
    const both = [head(false), head(true)] as const;
    ofTarget.set(credential, both);
    return both;
  }

  return (target, call) => {
    const [whole, streamed] =
      heads.get(target)?.get(call.credential) ?? bothOf(target, call.credential);
    return postOf(target, call, call.stream ? streamed : whole);
  };
}

/** Answers are asked for uncompressed, because stream bytes are passed on as they are. */
function headersOf(stream: boolean): Record<string, string> {
  return {
    "content-type": "application/json",
    accept: stream ? "text/event-stream" : "application/json",
    "accept-encoding": "identity",
    "user-agent": "tollgate",
  };
}

function postOf(
  { timeoutsMs }: UpstreamTarget,
  { traceparent, body }: ChatUpstreamCall,
  { origin, path, headers }: CallHead,
): OutgoingRequest {
  return {
    origin,
    path,
    method: "POST",
    headers: traceparent === null ? headers : { ...headers, traceparent },
    body,
    connectTimeoutMs: timeoutsMs.connect,
    firstByteTimeoutMs: timeoutsMs.firstByte,
    idleTimeoutMs: timeoutsMs.idle,
  };
}
