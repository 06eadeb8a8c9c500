/**
 * Decodes the bodies of answers that come compressed without being asked for so, as some upstreams
 * and proxies send them.
 */
import type { Transform } from "node:stream";
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from "node:zlib";
import {
  OutgoingError,
  type Exchange,
  type Outgoing,
  type OutgoingRequest,
  type ResponseHeaders,
  type ResponseSink,
} from "./outgoing.ts";

/** 8 MB, the most that is allowed in a body of HTTP: RFC 9659. */
const ZSTD_WINDOW_LOG = 23;

/**
 * What has come whole is passed on where the end of the body is missing: whether the answer is
 * whole is for its reader to say.
 */
const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }),
  "x-gzip": () => createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }),
  deflate: () => createInflate({ finishFlush: constants.Z_SYNC_FLUSH }),
  zstd: () =>
    createZstdDecompress({
      finishFlush: constants.ZSTD_e_flush,
      params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG },
    }),
  br: () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH }),
};

/** Answers in an encoding that is not known here stay as they are. */
export function decodeBodies(outgoing: Outgoing): Outgoing {
  return {
    send: (request, sink) => new Decoding(outgoing, request, sink),
    close: () => outgoing.close(),
  };
}

class Decoding implements Exchange, ResponseSink {
  readonly #exchange: Exchange;
  readonly #sink: ResponseSink;
  #decoder: Transform | null = null;
  /** The sink has heard the end, or wants to hear no more. */
  #over = false;

  constructor(outgoing: Outgoing, request: OutgoingRequest, sink: ResponseSink) {
    this.#sink = sink;
    this.#exchange = outgoing.send(request, this);
  }

  abort(): void {
    this.#decoder?.destroy();
    this.#exchange.abort();
  }

  pause(): void {
    this.#decoder?.pause();
    this.#exchange.pause();
  }

  resume(): void {
    this.#exchange.resume();
    this.#decoder?.resume();
  }

  onHeaders(status: number, headers: ResponseHeaders): void {
    const encoding = headers["content-encoding"];
    const make = typeof encoding === "string" ? DECODERS[encoding.trim().toLowerCase()] : undefined;
    if (make !== undefined) this.#decoder = this.#begin(make());
    this.#sink.onHeaders(status, headers);
  }

  onData(chunk: Buffer): void {
    if (this.#decoder === null) this.#sink.onData(chunk);
    else if (!this.#decoder.destroyed) this.#decoder.write(chunk);
  }

  onEnd(): void {
    if (this.#decoder === null) this.#sink.onEnd();
    else if (!this.#decoder.destroyed) this.#decoder.end();
  }

  onError(error: OutgoingError): void {
    if (this.#over) return;
    this.#over = true;
    this.#decoder?.destroy();
    this.#sink.onError(error);
  }

  #begin(decoder: Transform): Transform {
    decoder.on("data", (chunk: Buffer) => this.#sink.onData(chunk));
    decoder.on("end", () => {
      if (!this.#over) this.#sink.onEnd();
      this.#over = true;
    });
    decoder.on("error", (cause) => {
      this.onError(
        new OutgoingError("protocol", "the body is not what its content-encoding says", cause),
      );
      this.#exchange.abort();
    });
    return decoder;
  }
}
