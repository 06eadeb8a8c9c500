/**
 * The one way out over HTTP for calls to configured upstreams: pooled keep-alive connections, a
 * deadline on every phase, errors by kind.
 */
import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import type { ChunkBypass, ChunkReader } from "./chunk-bypass.ts";
import { createConnectionPool, type ConnectionPool, type PoolHandler } from "./connection-pool.ts";

export interface OutgoingRequest {
  /** Scheme, host and port, as in `https://api.example.com`. */
  readonly origin: string;
  /** Path and query, beginning with a slash. */
  readonly path: string;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | OutgoingStream | null;
  readonly connectTimeoutMs: number;
  /** From the request being sent to the response headers. */
  readonly firstByteTimeoutMs: number;
  /** Silence between two pieces of the body; does not run while the exchange is paused. */
  readonly idleTimeoutMs: number;
}

/** A body that is read while it is sent. */
export interface OutgoingStream {
  /** Exactly so many bytes come; else the exchange fails. */
  readonly sizeBytes: number;
  /** Called once for each exchange; what it throws fails the exchange. */
  open(): AsyncIterable<Buffer>;
}

/**
 * Why an exchange failed. `connect`: nothing was sent; `closed`: the peer broke off; `aborted`: we
 * did.
 */
/**
 * `exhausted`: this process or machine has no room for another connection, which says nothing of
 * the other side.
 */
export type OutgoingErrorKind =
  | "connect"
  | "connect-timeout"
  | "first-byte-timeout"
  | "idle-timeout"
  | "closed"
  | "protocol"
  | "aborted"
  | "exhausted";

export class OutgoingError extends Error {
  override name = "OutgoingError";
  readonly kind: OutgoingErrorKind;
  /**
   * False: not a byte of the request has left, so the peer cannot have taken it. `kind` alone does
   * not tell for certain.
   */
  readonly sent: boolean;

  constructor(kind: OutgoingErrorKind, message: string, cause: unknown, sent = true) {
    super(message, { cause });
    this.kind = kind;
    this.sent = sent;
  }
}

/** Names in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Receives one response: headers once, then data, then exactly one of end and error. Nothing is
 * called after an abort but `onError`.
 */
export interface ResponseSink {
  onHeaders(status: number, headers: ResponseHeaders): void;
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
  EMFILE: "exhausted",
  ENFILE: "exhausted",
  EADDRNOTAVAIL: "exhausted",
};

function toOutgoingError(thrown: Error, aborted: boolean, sent: boolean): OutgoingError {
  if (aborted) return new OutgoingError("aborted", "the exchange was aborted", thrown, sent);
  const code = "code" in thrown && typeof thrown.code === "string" ? thrown.code : "";
  // Happy-eyeballs failures arrive as an AggregateError that carries the code of its first member.
  const kind =
    KIND_BY_CODE[code] ??
    (code.startsWith("HPE_") || thrown.name === "HTTPParserError" ? "protocol" : "closed");
  return new OutgoingError(kind, thrown.message === "" ? code : thrown.message, thrown, sent);
}

function bodyOf(body: OutgoingRequest["body"]): Buffer | Readable | null {
  if (body === null || Buffer.isBuffer(body)) return body;
  return Readable.from(body.open(), { objectMode: false });
}

/**
 * One exchange, as its owner and as undici see it; one object, because there is one for every
 * request.
 */
class PooledExchange implements Exchange, PoolHandler, ChunkReader {
  over = false;
  private readonly sink: ResponseSink;
  private readonly idleTimeoutMs: number;
  private bypass: ChunkBypass | null = null;
  private controller: Dispatcher.DispatchController | null = null;
  private aborted = false;
  private paused = false;
  /** `send` has returned: never call back before, the sink may need the exchange. */
  private sent = false;
  /** The request may have left us. */
  private written = false;

  constructor(sink: ResponseSink, idleTimeoutMs: number) {
    this.sink = sink;
    this.idleTimeoutMs = idleTimeoutMs;
  }

  begin(pool: ConnectionPool, request: OutgoingRequest): void {
    pool.dispatch(
      {
        path: request.path,
        method: request.method,
        headers: request.headers,
        body: bodyOf(request.body),
        headersTimeout: request.firstByteTimeoutMs,
        bodyTimeout: request.idleTimeoutMs,
        // Whether more may follow before the response is a question of pipelining, which we never
        // do.
        blocking: false,
      },
      this,
    );
    this.sent = true;
  }

  abort(): void {
    if (this.over) return;
    this.aborted = true;
    this.controller?.abort(new Error("aborted"));
  }

  pause(): void {
    if (this.paused || this.over) return;
    this.paused = true;
    this.controller?.pause();
    this.bypass?.pause();
  }

  resume(): void {
    if (!this.paused || this.over) return;
    this.paused = false;
    this.bypass?.resume();
    this.controller?.resume();
  }

  onConnection(bypass: ChunkBypass): void {
    this.bypass = bypass;
  }

  onRequestStart(started: Dispatcher.DispatchController): void {
    this.controller = started;
    // undici writes the head of the request right after this returns.
    if (this.aborted) started.abort(new Error("aborted before it started"));
    else this.written = true;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: ResponseHeaders,
  ): void {
    // They would be kept beside the parsed ones until the end of the response.
    controller.rawHeaders = null;
    if (status < 200 || this.over) return;
    if (headers["transfer-encoding"] === "chunked") this.bypass?.begin(this, this.idleTimeoutMs);
    try {
      this.sink.onHeaders(status, headers);
    } catch (error) {
      this.breakOff(error);
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, piece: Buffer): void {
    if (this.over) return;
    try {
      if (this.bypass?.isOfAnswer(piece) === false) return;
      this.sink.onData(piece);
      this.bypass?.passed(piece);
    } catch (error) {
      this.breakOff(error);
    }
  }

  onChunk(bytes: Buffer): void {
    if (this.over) return;
    try {
      this.sink.onData(bytes);
    } catch (error) {
      this.breakOff(error);
    }
  }

  onResponseEnd(): void {
    if (this.over) return;
    this.end();
    try {
      this.sink.onEnd();
    } catch (error) {
      this.breakOff(error);
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.fail(error);
  }

  /**
   * A throw from a sink must not corrupt the parser that called it: the exchange dies, the process
   * and the pool live.
   */
  private breakOff(thrown: unknown): void {
    const cause = thrown instanceof Error ? thrown : new Error(String(thrown));
    this.controller?.abort(cause);
    this.fail(cause);
  }

  private end(): void {
    this.over = true;
    // The connection carries another exchange next, as soon as this one's owner asks for it.
    this.bypass?.end();
    this.bypass = null;
  }

  private fail(error: Error): void {
    if (this.over) return;
    this.end();
    const reported = toOutgoingError(error, this.aborted, this.written);
    if (this.sent) this.sink.onError(reported);
    else queueMicrotask(() => this.sink.onError(reported));
  }
}

export function createOutgoing(): Outgoing {
  /** By origin, then by connect timeout. */
  const pools = new Map<string, Map<number, ConnectionPool>>();

  function poolFor(origin: string, connectTimeoutMs: number): ConnectionPool {
    const pool = pools.get(origin)?.get(connectTimeoutMs);
    if (pool !== undefined) return pool;
    const made = createConnectionPool(origin, connectTimeoutMs);
    const ofOrigin = pools.get(origin);
    if (ofOrigin === undefined) pools.set(origin, new Map([[connectTimeoutMs, made]]));
    else ofOrigin.set(connectTimeoutMs, made);
    return made;
  }

  return {
    send(request, sink) {
      const exchange = new PooledExchange(sink, request.idleTimeoutMs);
      exchange.begin(poolFor(request.origin, request.connectTimeoutMs), request);
      return exchange;
    },

    async close() {
      const open = [...pools.values()].flatMap((ofOrigin) => [...ofOrigin.values()]);
      pools.clear();
      await Promise.all(open.map((pool) => pool.destroy()));
    },
  };
}
