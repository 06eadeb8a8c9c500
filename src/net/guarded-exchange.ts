/**
 * One request and its answer over a connection of its own, with a deadline on every phase and caps
 * on all that a server decides.
 */
import { Readable } from "node:stream";
import { Client, errors, type Dispatcher } from "undici";
import type { FetchLimits } from "./fetch-limits.ts";
import { FetchRefusal, type FetchRule } from "./fetch-refusal.ts";
import { createGuardedConnector, type ConnectTarget } from "./guarded-connector.ts";

export interface ExchangeRequest extends ConnectTarget {
  readonly url: URL;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
  /** Of the body; one byte more is `too_large`. */
  readonly maxBytes: number;
  /** Null: the signal alone ends the wait for the headers. */
  readonly headersMs: number | null;
  readonly limits: FetchLimits;
}

/** Names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface Answer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /**
   * Must be read to its end or destroyed; the connection is gone when it says `close`. Fails with a
   * FetchRefusal or the signal's reason.
   */
  readonly body: Readable;
}

type Phase = "connect" | "headers" | "body";

const BODY_BUFFER_BYTES = 256 * 1024;

/**
 * Rejects with a FetchRefusal, or with the signal's reason when that is aborted. Connections are
 * neither kept nor shared: what one call was allowed to reach is never lent to another, and no
 * answer can wait on an idle socket for the next caller.
 */
export function exchange(request: ExchangeRequest, signal: AbortSignal): Promise<Answer> {
  return new Exchange(request, signal).answer.promise;
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly answer = Promise.withResolvers<Answer>();
  private readonly body: Readable;
  private readonly request: ExchangeRequest;
  private readonly signal: AbortSignal;
  private readonly client: Client;
  private readonly connector;
  private phase: Phase = "connect";
  private over = false;
  private paused = false;
  private controller: Dispatcher.DispatchController | null = null;
  /** Of the phase: connecting, headers, or silence within the body. */
  private patience: NodeJS.Timeout | undefined;
  private window: NodeJS.Timeout | undefined;
  /** The head says where the body ends; otherwise the end of the connection does. */
  private framed = false;
  private received = 0;
  private receivedInWindow = 0;
  private readonly stopBySignal = (): void => {
    const reason: unknown = this.signal.reason;
    const error = reason instanceof Error ? reason : new Error("aborted", { cause: reason });
    // Also when all has arrived and is only waiting to be read.
    if (this.phase === "body") this.body.destroy(error);
    else this.fail(error);
  };

  constructor(request: ExchangeRequest, signal: AbortSignal) {
    this.request = request;
    this.signal = signal;
    this.connector = createGuardedConnector(request);
    this.client = new Client(request.url.origin, {
      connect: this.connector.connect,
      allowH2: false,
      maxHeaderSize: request.limits.headerBytes,
      // Our own clocks are exact, and do not start anew with each interim answer (1xx).
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.body = new Readable({
      highWaterMark: BODY_BUFFER_BYTES,
      read: () => this.resume(),
      destroy: (error, callback) => {
        this.signal.removeEventListener("abort", this.stopBySignal);
        this.shut(() => callback(error));
      },
    });
    // The reader may not listen yet, or not any more, when it fails; a pipeline or an iterator that
    // begins later still hears of it.
    this.body.on("error", () => undefined);
    signal.addEventListener("abort", this.stopBySignal, { once: true });
    if (signal.aborted) this.stopBySignal();
    else this.begin();
  }

  private begin(): void {
    const { url, method, headers, body, limits, headersMs } = this.request;
    this.wait(limits.connectMs, "connect_timeout");
    this.client.once("connect", () => {
      this.phase = "headers";
      this.wait(headersMs, "headers_timeout");
    });
    this.client.dispatch(
      { path: url.pathname + url.search, method, headers, body, reset: true, blocking: false },
      this,
    );
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: AnswerHeaders,
  ): void {
    if (status < 200 || this.over) return;
    controller.rawHeaders = null;
    this.phase = "body";
    this.framed =
      headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
    this.watchBody();
    this.answer.resolve({ status, headers, body: this.body });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.over) return;
    this.received += chunk.length;
    this.receivedInWindow += chunk.length;
    if (this.received > this.request.maxBytes) {
      this.fail(new FetchRefusal("too_large"));
      return;
    }
    this.patience?.refresh();
    if (this.body.push(chunk)) return;
    this.paused = true;
    this.stopClocks();
    controller.pause();
  }

  onResponseEnd(): void {
    if (this.over) return;
    // undici takes a reset for the end of such a body.
    if (!this.framed && this.connector.isBroken()) {
      this.fail(new FetchRefusal("cut"));
      return;
    }
    this.over = true;
    this.body.push(null);
    // Not when the reader has come to the end: it may be slow, and the server need not know.
    this.shut(() => undefined);
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.fail(toRefusal(error, this.phase, this.request.url.protocol === "https:"));
  }

  private resume(): void {
    if (!this.paused || this.over) return;
    this.paused = false;
    this.watchBody();
    this.controller?.resume();
  }

  private fail(error: Error): void {
    if (this.over) return;
    if (this.phase === "body") {
      this.body.destroy(error);
      return;
    }
    this.signal.removeEventListener("abort", this.stopBySignal);
    this.shut(() => this.answer.reject(error));
  }

  private wait(ms: number | null, rule: FetchRule): void {
    clearTimeout(this.patience);
    this.patience =
      ms === null ? undefined : setTimeout(() => this.fail(new FetchRefusal(rule)), ms);
  }

  /**
   * Both clocks begin anew: while it was paused nothing could arrive, which is not the server's
   * fault.
   */
  private watchBody(): void {
    const { idleMs, windowMs, minBytesPerSecond } = this.request.limits;
    this.wait(idleMs, "idle_timeout");
    clearInterval(this.window);
    this.receivedInWindow = 0;
    this.window = setInterval(() => {
      if (this.receivedInWindow * 1000 < minBytesPerSecond * windowMs)
        this.fail(new FetchRefusal("too_slow"));
      this.receivedInWindow = 0;
    }, windowMs);
  }

  private stopClocks(): void {
    clearTimeout(this.patience);
    clearInterval(this.window);
  }

  /** Says so when the connection is gone. */
  private shut(done: () => void): void {
    this.over = true;
    this.stopClocks();
    // Never from within the parser that has just called us.
    queueMicrotask(() => {
      const { client, connector } = this;
      function closeSocket(): void {
        connector.close(done);
      }
      if (client.destroyed) closeSocket();
      else client.destroy(closeSocket);
    });
  }
}

function toRefusal(error: Error, phase: Phase, secure: boolean): Error {
  const refusal = findRefusal(error);
  // A header that cannot be sent, say: the mistake is ours.
  if (error instanceof errors.InvalidArgumentError) return error;
  return refusal ?? new FetchRefusal(ruleOf(error, phase, secure), { cause: error });
}

function findRefusal(error: unknown): FetchRefusal | null {
  if (error instanceof FetchRefusal) return error;
  return error instanceof Error && error.cause !== undefined ? findRefusal(error.cause) : null;
}

function ruleOf(error: Error, phase: Phase, secure: boolean): FetchRule {
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (phase === "connect") {
    // Errors of the system are one word; those of TLS have underscores, but for this one.
    return secure && (code.includes("_") || code === "EPROTO") ? "tls_failed" : "connect_failed";
  }
  if (code === "UND_ERR_HEADERS_OVERFLOW") return "headers_too_large";
  // Two lengths, or one that is no number: the parser then compares before it says what is wrong.
  if (phase === "headers" && code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH") return "bad_answer";
  // Some of the parser's errors have no code; the end of the stream within a message has this one.
  if (error.name === "HTTPParserError" && code !== "HPE_INVALID_EOF_STATE") return "bad_answer";
  return phase === "headers" ? "no_answer" : "cut";
}
