/**
 * The one way out over HTTP for calls to configured upstreams: pooled keep-alive connections, a
 * deadline on every phase, errors by kind.
 */
import { MalformedAnswer, type ResponseHeaders } from "./answer-reader.ts";
import type { Carried, Carrier, WireRequest } from "./carried.ts";
import { createConnectionPool, type ConnectionPool } from "./connection-pool.ts";

export type { ResponseHeaders } from "./answer-reader.ts";

export interface OutgoingRequest extends WireRequest {
  /** Scheme, host and port, as in `https://api.example.com`. */
  readonly origin: string;
  readonly connectTimeoutMs: number;
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
  const kind = KIND_BY_CODE[code] ?? (thrown instanceof MalformedAnswer ? "protocol" : "closed");
  return new OutgoingError(kind, thrown.message === "" ? code : thrown.message, thrown, sent);
}

/**
 * One exchange, as its owner and as its connection see it; one object, because there is one for
 * every request.
 */
class PooledExchange implements Exchange, Carried {
  over = false;
  request: OutgoingRequest | null;
  readonly firstByteTimeoutMs: number;
  readonly idleTimeoutMs: number;
  private readonly sink: ResponseSink;
  private carrier: Carrier | null = null;
  private paused = false;
  /** `send` has returned: never call back before, the sink may need the exchange. */
  private sent = false;
  /** The request may have left us. */
  private written = false;

  constructor(request: OutgoingRequest, sink: ResponseSink) {
    this.request = request;
    this.firstByteTimeoutMs = request.firstByteTimeoutMs;
    this.idleTimeoutMs = request.idleTimeoutMs;
    this.sink = sink;
  }

  begin(pool: ConnectionPool): void {
    pool.dispatch(this);
    this.sent = true;
  }

  abort(): void {
    if (this.over) return;
    const { carrier } = this;
    this.end();
    const error = toOutgoingError(new Error("aborted"), true, this.written);
    carrier?.abort();
    // The caller of `abort` is not called back before it has returned.
    queueMicrotask(() => this.sink.onError(error));
  }

  pause(): void {
    if (this.paused || this.over) return;
    this.paused = true;
    this.carrier?.pause();
  }

  resume(): void {
    if (!this.paused || this.over) return;
    this.paused = false;
    this.carrier?.resume();
  }

  onCarrier(carrier: Carrier): void {
    this.carrier = carrier;
  }

  onWritten(): void {
    this.written = true;
    this.request = null;
  }

  onHead(status: number, headers: ResponseHeaders): void {
    if (this.over) return;
    try {
      this.sink.onHeaders(status, headers);
    } catch (error) {
      this.breakOff(error);
    }
  }

  onBody(bytes: Buffer): void {
    if (this.over) return;
    try {
      this.sink.onData(bytes);
    } catch (error) {
      this.breakOff(error);
    }
  }

  onEnd(): void {
    if (this.over) return;
    this.end();
    try {
      this.sink.onEnd();
    } catch (error) {
      this.breakOff(error);
    }
  }

  onFail(error: Error): void {
    this.fail(error);
  }

  /**
   * A throw from a sink must not corrupt the parser that called it: the exchange dies, the process
   * and the pool live.
   */
  private breakOff(thrown: unknown): void {
    this.carrier?.abort();
    this.fail(thrown instanceof Error ? thrown : new Error(String(thrown)));
  }

  private end(): void {
    this.over = true;
    this.carrier = null;
  }

  private fail(error: Error): void {
    if (this.over) return;
    this.end();
    const reported = toOutgoingError(error, false, this.written);
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
      const exchange = new PooledExchange(request, sink);
      exchange.begin(poolFor(request.origin, request.connectTimeoutMs));
      return exchange;
    },

    async close() {
      const open = [...pools.values()].flatMap((ofOrigin) => [...ofOrigin.values()]);
      pools.clear();
      for (const pool of open) pool.destroy();
    },
  };
}
