/** What is between an exchange and the connection that carries it, whatever that speaks. */
import type { ResponseHeaders } from "./answer-reader.ts";

/** One request, as it is sent. */
export interface WireRequest {
  /** Path and query, beginning with a slash. */
  readonly path: string;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Names in lower case. `content-length` is the connection's own to say. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | OutgoingStream | null;
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

/** What a connection carries. It hears head, data and exactly one of end and failure. */
export interface Carried {
  /** Null from `onWritten` on: a long answer must not keep what was asked. */
  readonly request: WireRequest | null;
  /** The request's. */
  readonly firstByteTimeoutMs: number;
  readonly idleTimeoutMs: number;
  /** It has heard its end, or was aborted. */
  readonly over: boolean;
  onCarrier(carrier: Carrier): void;
  /** From now on something of it may have left us. */
  onWritten(): void;
  onHead(status: number, headers: ResponseHeaders): void;
  onBody(bytes: Buffer): void;
  onEnd(): void;
  onFail(error: Error): void;
}

/** What carries one exchange. */
export interface Carrier {
  /** The exchange hears nothing more of it. */
  abort(): void;
  /** Data that is under way may still come before anything stops, but no clock of silence runs. */
  pause(): void;
  resume(): void;
}
