/** One connection of HTTP/2, by undici's client: it has room for many exchanges at once. */
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { Client, errors, type Dispatcher } from "undici";
import { assert } from "../kernel/assert.ts";
import type { ResponseHeaders } from "./answer-reader.ts";
import type { Carried, Carrier, WireRequest } from "./carried.ts";

/** What its pool hears of it. */
export interface SharedOwner {
  /** It had none and has room again. */
  onRoom(): void;
  onClosed(): void;
}

export class Http2Connection {
  hasRoom = true;
  private readonly client: Client;
  private readonly owner: SharedOwner;

  constructor(url: URL, socket: Socket, owner: SharedOwner) {
    this.owner = owner;
    let given = false;
    this.client = new Client(url, {
      pipelining: 1,
      connect(_options, callback) {
        // Of one connection only: another one is the pool's to open.
        if (given) callback(new errors.SocketError("other side closed"), null);
        else callback(null, socket);
        given = true;
      },
    });
    this.client.on("drain", () => this.roomAgain());
    this.client.on("disconnect", () => this.close());
    this.client.on("connectionError", () => this.close());
  }

  /** Without room for more afterwards, it says when it has room again. */
  carry(exchange: Carried): void {
    const stream = new SharedExchange(exchange);
    const { request, firstByteTimeoutMs, idleTimeoutMs } = exchange;
    assert(request !== null, "nothing of it has left");
    const { path, method, headers, body } = request;
    this.hasRoom = this.client.dispatch(
      {
        path,
        method,
        headers,
        body: bodyOf(body),
        headersTimeout: firstByteTimeoutMs,
        bodyTimeout: idleTimeoutMs,
      },
      stream,
    );
  }

  destroy(error: Error): void {
    void this.client.destroy(error);
    this.close();
  }

  private roomAgain(): void {
    if (this.hasRoom || this.client.closed || this.client.destroyed) return;
    this.hasRoom = true;
    this.owner.onRoom();
  }

  private close(): void {
    this.hasRoom = false;
    this.owner.onClosed();
    if (!this.client.closed && !this.client.destroyed) void this.client.close();
  }
}

function bodyOf(body: WireRequest["body"]): Buffer | Readable | null {
  if (body === null || Buffer.isBuffer(body)) return body;
  return Readable.from(body.open(), { objectMode: false });
}

/** An exchange as undici sees it. */
class SharedExchange implements Carrier, Dispatcher.DispatchHandler {
  private readonly exchange: Carried;
  private controller: Dispatcher.DispatchController | null = null;
  private aborted = false;

  constructor(exchange: Carried) {
    this.exchange = exchange;
    exchange.onCarrier(this);
  }

  abort(): void {
    this.aborted = true;
    this.controller?.abort(new Error("aborted"));
  }

  pause(): void {
    this.controller?.pause();
  }

  resume(): void {
    this.controller?.resume();
  }

  onRequestStart(started: Dispatcher.DispatchController): void {
    this.controller = started;
    // undici writes the head of the request right after this returns.
    if (this.aborted) started.abort(new Error("aborted before it started"));
    else this.exchange.onWritten();
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: ResponseHeaders,
  ): void {
    // They would be kept beside the parsed ones until the end of the response.
    controller.rawHeaders = null;
    if (status >= 200 && !this.aborted) this.exchange.onHead(status, headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, piece: Buffer): void {
    if (!this.aborted) this.exchange.onBody(piece);
  }

  onResponseEnd(): void {
    if (!this.aborted) this.exchange.onEnd();
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (!this.aborted) this.exchange.onFail(error);
  }
}
