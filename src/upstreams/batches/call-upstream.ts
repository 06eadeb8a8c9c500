/** One call of an upstream that is no chat: its whole answer within bounds, or its body as it comes. */
import { Readable } from "node:stream";
import type { Exchange, Outgoing, OutgoingError, OutgoingRequest } from "../../net/outgoing.ts";
import { isRecord } from "../../protocol/json/is-record.ts";
import { partsOf } from "../chat-post.ts";
import type { BatchTarget } from "./upstream-batches.ts";

export type UpstreamReply =
  | { readonly kind: "answered"; readonly status: number; readonly body: Record<string, unknown> }
  /** `sent` false: it is certain that nothing arrived. */
  | { readonly kind: "failed"; readonly sent: boolean; readonly words: string };

export interface UpstreamAsk {
  readonly method: OutgoingRequest["method"];
  /** Below the base URL, or with it where `whole`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: OutgoingRequest["body"];
}

const ANSWER_LIMIT_BYTES = 8 * 1024 * 1024;
/** For a whole answer, whatever the timeouts of the upstream say. */
const CALL_MS = 120_000;

export function requestOf(target: BatchTarget, ask: UpstreamAsk): OutgoingRequest {
  const { origin } = partsOf(target);
  const { timeoutsMs } = target;
  const { body = null } = ask;
  const length =
    body === null || Buffer.isBuffer(body) ? {} : { "content-length": String(body.sizeBytes) };
  return {
    origin,
    path: ask.path,
    method: ask.method,
    headers: {
      accept: "application/json",
      "accept-encoding": "identity",
      "user-agent": "tollgate",
      ...ask.headers,
      ...length,
    },
    body,
    connectTimeoutMs: timeoutsMs.connect,
    firstByteTimeoutMs: timeoutsMs.firstByte,
    idleTimeoutMs: timeoutsMs.idle,
  };
}

/** Never rejects. An answer that is no JSON object has an empty one. */
export function callUpstream(outgoing: Outgoing, request: OutgoingRequest): Promise<UpstreamReply> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let status = 0;
    let size = 0;
    const exchange: Exchange = outgoing.send(request, {
      onHeaders(answered) {
        status = answered;
      },
      onData(chunk) {
        size += chunk.length;
        if (size > ANSWER_LIMIT_BYTES) exchange.abort();
        else parts.push(chunk);
      },
      onEnd: () => end({ kind: "answered", status, body: objectOf(Buffer.concat(parts)) }),
      onError: (error: OutgoingError) =>
        end({ kind: "failed", sent: error.sent, words: error.message }),
    });
    const timer = setTimeout(() => exchange.abort(), CALL_MS);
    function end(reply: UpstreamReply): void {
      clearTimeout(timer);
      resolve(reply);
    }
  });
}

function objectOf(bytes: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

/** The body of a 200 as it is read; null for anything else. Errors where it breaks off. */
export function openUpstream(
  outgoing: Outgoing,
  request: OutgoingRequest,
): Promise<Readable | null> {
  return new Promise((resolve) => {
    let taken = false;
    const body = new Readable({
      read: () => exchange.resume(),
      destroy(error, done) {
        exchange.abort();
        done(error);
      },
    });
    body.on("error", () => undefined);
    const exchange: Exchange = outgoing.send(request, {
      onHeaders(status) {
        taken = status === 200;
        resolve(taken ? body : null);
        if (!taken) body.destroy();
      },
      onData(chunk) {
        if (taken && !body.push(chunk)) exchange.pause();
      },
      onEnd: () => void (taken && body.push(null)),
      onError(error) {
        resolve(null);
        body.destroy(error);
      },
    });
  });
}
