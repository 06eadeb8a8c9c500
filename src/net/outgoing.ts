/** The one way out over HTTP for calls to configured upstreams: pooled keep-alive connections, a deadline on every phase, errors by kind. */
import { Pool } from "undici";
import type { Dispatcher } from "undici";

export interface OutgoingRequest {
  /** Scheme, host and port, as in `https://api.example.com`. */
  readonly origin: string;
  /** Path and query, beginning with a slash. */
  readonly path: string;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
  readonly connectTimeoutMs: number;
  /** From the request being sent to the response headers. */
  readonly firstByteTimeoutMs: number;
  /** Silence between two pieces of the body; does not run while the exchange is paused. */
  readonly idleTimeoutMs: number;
}

/** Why an exchange failed. `connect`: nothing was sent; `closed`: the peer broke off; `aborted`: we did. */
export type OutgoingErrorKind = "connect" | "connect-timeout" | "first-byte-timeout" | "idle-timeout" | "closed" | "protocol" | "aborted";

export class OutgoingError extends Error {
  override name = "OutgoingError";
  readonly kind: OutgoingErrorKind;

  constructor(kind: OutgoingErrorKind, message: string, cause: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/** Receives one response: headers once, then data, then exactly one of end and error. Nothing is called after an abort but `onError`. */
export interface ResponseSink {
  onHeaders(status: number, headers: Readonly<Record<string, string | string[] | undefined>>): void;
  onData(chunk: Buffer): void;
  onEnd(): void;
  onError(error: OutgoingError): void;
}

export interface Exchange {
  abort(): void;
  pause(): void;
  resume(): void;
}

export interface Outgoing {
  send(request: OutgoingRequest, sink: ResponseSink): Exchange;
  close(): Promise<void>;
}

const KEEP_ALIVE_MS = 30_000;
/** As many as a catalogue's `maxConcurrent` can be, so that the routes' own limits decide: what waited here would hold money meanwhile. */
const MAX_CONNECTIONS = 100_000;

const KIND_BY_CODE: Readonly<Record<string, OutgoingErrorKind>> = {
  UND_ERR_CONNECT_TIMEOUT: "connect-timeout",
  UND_ERR_HEADERS_TIMEOUT: "first-byte-timeout",
  UND_ERR_BODY_TIMEOUT: "idle-timeout",
  UND_ERR_SOCKET: "closed",
  ECONNRESET: "closed",
  EPIPE: "closed",
  ECONNREFUSED: "connect",
  ENOTFOUND: "connect",
  EAI_AGAIN: "connect",
  EHOSTUNREACH: "connect",
  ENETUNREACH: "connect",
  ETIMEDOUT: "connect-timeout",
  CERT_HAS_EXPIRED: "connect",
  DEPTH_ZERO_SELF_SIGNED_CERT: "connect",
  ERR_TLS_CERT_ALTNAME_INVALID: "connect",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "connect",
};

function toOutgoingError(thrown: Error, aborted: boolean): OutgoingError {
  if (aborted) return new OutgoingError("aborted", "the exchange was aborted", thrown);
  const code = "code" in thrown && typeof thrown.code === "string" ? thrown.code : "";
  // Happy-eyeballs failures arrive as an AggregateError that carries the code of its first member.
  const kind = KIND_BY_CODE[code] ?? (code.startsWith("HPE_") || thrown.name === "HTTPParserError" ? "protocol" : "closed");
  return new OutgoingError(kind, thrown.message === "" ? code : thrown.message, thrown);
}

export function createOutgoing(): Outgoing {
  const pools = new Map<string, Pool>();

  function poolFor(origin: string, connectTimeoutMs: number): Pool {
    const key = `${connectTimeoutMs} ${origin}`;
    let pool = pools.get(key);
    if (pool === undefined) {
      pool = new Pool(origin, {
        connections: MAX_CONNECTIONS,
        pipelining: 1,
        keepAliveTimeout: KEEP_ALIVE_MS,
        connect: { timeout: connectTimeoutMs },
      });
      pools.set(key, pool);
    }
    return pool;
  }

  return {
    send(request, sink) {
      let controller: Dispatcher.DispatchController | null = null;
      let aborted = false;
      let over = false;
      let paused = false;
      let sent = false;

      function fail(error: Error): void {
        if (over) return;
        over = true;
        // Never call back before `send` has returned: the sink may need the exchange.
        if (sent) sink.onError(toOutgoingError(error, aborted));
        else queueMicrotask(() => sink.onError(toOutgoingError(error, aborted)));
      }

      // A throw from a sink must not corrupt the parser that called it: the exchange dies, the process and the pool live.
      function guarded(work: () => void): void {
        if (over) return;
        try {
          work();
        } catch (error) {
          const cause = error instanceof Error ? error : new Error(String(error));
          controller?.abort(cause);
          fail(cause);
        }
      }

      poolFor(request.origin, request.connectTimeoutMs).dispatch(
        {
          path: request.path,
          method: request.method,
          headers: { ...request.headers },
          body: request.body,
          headersTimeout: request.firstByteTimeoutMs,
          bodyTimeout: request.idleTimeoutMs,
        },
        {
          onRequestStart(started) {
            controller = started;
            if (aborted) started.abort(new Error("aborted before it started"));
          },
          onResponseStart(_controller, status, headers) {
            if (status >= 200) guarded(() => sink.onHeaders(status, headers));
          },
          onResponseData(_controller, chunk) {
            guarded(() => sink.onData(chunk));
          },
          onResponseEnd() {
            guarded(() => {
              over = true;
              sink.onEnd();
            });
          },
          onResponseError(_controller, error) {
            fail(error);
          },
        },
      );

      sent = true;
      return {
        abort() {
          if (over || aborted) return;
          aborted = true;
          controller?.abort(new Error("aborted"));
        },
        pause() {
          if (paused || over) return;
          paused = true;
          controller?.pause();
        },
        resume() {
          if (!paused || over) return;
          paused = false;
          controller?.resume();
        },
      };
    },

    async close() {
      const open = [...pools.values()];
      pools.clear();
      await Promise.all(open.map((pool) => pool.destroy()));
    },
  };
}
