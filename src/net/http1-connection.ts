/**
 * One connection of HTTP/1.1 to an origin. It carries one exchange at a time, with a deadline on
 * each of its phases. Its bytes do not pass Node's queues of streams, which cost more than all else
 * that is done for a short answer.
 */
import type { Socket } from "node:net";
import { errors } from "undici";
import { AnswerReader, MalformedAnswer } from "./answer-reader.ts";
import type { AfterAnswer, AnswerSink, ResponseHeaders } from "./answer-reader.ts";
import type { Carried, Carrier, OutgoingStream } from "./carried.ts";

/** What its pool hears of a connection. */
export interface ConnectionOwner {
  /** It can carry another exchange. */
  onFree(connection: Http1Connection): void;
  onClosed(connection: Http1Connection): void;
  readonly turnEnd: TurnEnd;
  /** It was given an exchange of which nothing has left, and is gone: another one may carry it. */
  onUnsent(exchange: Carried, head: string): void;
}

/** Up to here copying a body behind its head costs less than a write of two pieces. */
const ONE_PIECE_BYTES = 16_384;
/** How long it is kept without an exchange. */
const MOST_IDLE_MS = 30_000;
/** By so much we give it up before the peer does. */
const IDLE_MARGIN_MS = 2_000;
const NOT_ASKED_FOR = "an answer that was not asked for";
const NOTHING = Buffer.alloc(0);
/** All connections are read into it, one after the other; what has come is copied out at once. */
const readBuffer = Buffer.allocUnsafeSlow(65_536);

/**
 * What waits for the end of a turn of the event loop. Requests that become ready in one turn leave
 * together: each write may have to wake who reads it. And a connection is free from the turn on that
 * follows its answer: a peer that closes behind its answer has then been heard to close before
 * another request leaves.
 */
export class TurnEnd {
  private leaving: Http1Connection[] = [];
  private answered: Http1Connection[] = [];
  private isDue = false;

  leave(connection: Http1Connection): void {
    this.leaving.push(connection);
    this.wait();
  }

  free(connection: Http1Connection): void {
    this.answered.push(connection);
    this.wait();
  }

  private wait(): void {
    if (this.isDue) return;
    this.isDue = true;
    setImmediate(() => this.come());
  }

  private come(): void {
    const { leaving, answered } = this;
    this.isDue = false;
    this.leaving = [];
    this.answered = [];
    for (const connection of leaving) connection.write();
    for (const connection of answered) connection.free();
  }
}

/** What a socket is opened with so that its bytes come to the connection that is made of it. */
export class SocketReads {
  connection: Http1Connection | null = null;
  readonly buffer = readBuffer;
  readonly callback = (count: number): boolean => {
    const bytes = Buffer.allocUnsafe(count);
    readBuffer.copy(bytes, 0, 0, count);
    this.connection?.read(bytes);
    return true;
  };
}

export class Http1Connection implements Carrier, AnswerSink {
  /** Until when it is kept without an exchange, in the time of `performance.now()`. */
  idleUntilMs = performance.now() + MOST_IDLE_MS;
  closed = false;
  private readonly socket: Socket;
  private readonly owner: ConnectionOwner;
  private readonly reader = new AnswerReader(this);
  private exchange: Carried | null = null;
  /** Of the exchange's request, until it leaves; each character is a byte. */
  private head = "";
  /** Nothing of the exchange has left. */
  private isUnsent = false;
  /** All of the request has been given to the socket. */
  private isAsked = true;
  private hasHead = false;
  private paused = false;
  /** What came behind the bytes at which the exchange was paused. */
  private rest: Buffer = NOTHING;
  /** Infinity: nothing has to come. */
  private deadlineMs = Infinity;
  private timer: NodeJS.Timeout | null = null;
  private firesAtMs = 0;

  constructor(socket: Socket, reads: SocketReads, owner: ConnectionOwner) {
    this.socket = socket;
    this.owner = owner;
    reads.connection = this;
    socket.on("end", () => this.ended());
    socket.on("error", (error) => this.destroy(error));
    socket.on("close", () => this.destroy(new errors.SocketError("other side closed")));
    // Nothing is read from the stream; this lets it see its end.
    socket.resume();
  }

  /** It must be free. Its request leaves at the end of this turn. */
  carry(exchange: Carried, head: string): void {
    this.exchange = exchange;
    this.head = head;
    this.isUnsent = true;
    this.socket.ref();
    exchange.onCarrier(this);
    this.owner.turnEnd.leave(this);
  }

  /** The request is due to leave. */
  write(): void {
    const { exchange, socket } = this;
    if (exchange === null || exchange.request === null || !this.isUnsent) return;
    const { head } = this;
    const { body } = exchange.request;
    this.head = "";
    this.isUnsent = false;
    this.hasHead = false;
    this.paused = false;
    this.reader.begin();
    exchange.onWritten();
    if (body === null) socket.write(head, "latin1");
    else if (!Buffer.isBuffer(body)) void this.writeStream(exchange, head, body);
    else if (body.length > ONE_PIECE_BYTES) {
      socket.cork();
      socket.write(head, "latin1");
      socket.write(body);
      socket.uncork();
    } else {
      // Not from the pool of small buffers: it is over when it has left, and would fill pieces of
      // the pool of which a stream keeps a few bytes for as long as it lasts.
      const whole = Buffer.allocUnsafeSlow(head.length + body.length);
      whole.write(head, "latin1");
      whole.set(body, head.length);
      socket.write(whole);
    }
    this.waitFor(exchange.firstByteTimeoutMs);
  }

  /** Bytes have come. */
  read(bytes: Buffer): void {
    if (this.closed) return;
    if (this.exchange === null || this.isUnsent) {
      this.destroy(new MalformedAnswer(NOT_ASKED_FOR));
      return;
    }
    if (this.paused) {
      this.rest = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
      return;
    }
    if (this.hasHead) this.waitFor(this.exchange.idleTimeoutMs);
    this.take(bytes);
  }

  onHead(status: number, headers: ResponseHeaders): void {
    const { exchange } = this;
    if (exchange === null) return;
    this.hasHead = true;
    this.waitFor(exchange.idleTimeoutMs);
    exchange.onHead(status, headers);
  }

  onBody(bytes: Buffer): void {
    this.exchange?.onBody(bytes);
  }

  onComplete({ reusable, idleSeconds }: AfterAnswer): void {
    const { exchange } = this;
    if (exchange === null) return;
    this.exchange = null;
    this.deadlineMs = Infinity;
    const keptMs =
      idleSeconds === null
        ? MOST_IDLE_MS
        : Math.min(MOST_IDLE_MS, idleSeconds * 1000 - IDLE_MARGIN_MS);
    // A peer that has answered before it had all may take the rest for another request.
    if (!reusable || keptMs <= 0 || !this.isAsked || this.socket.writableLength > 0) this.close();
    else {
      this.idleUntilMs = performance.now() + keptMs;
      this.owner.turnEnd.free(this);
    }
    exchange.onEnd();
  }

  abort(): void {
    if (this.exchange === null) return;
    this.exchange = null;
    if (this.isUnsent) this.owner.turnEnd.free(this);
    else this.close();
  }

  pause(): void {
    this.paused = true;
    this.deadlineMs = Infinity;
    this.reader.stop();
    this.socket.pause();
  }

  resume(): void {
    const { exchange } = this;
    if (exchange === null) return;
    this.paused = false;
    this.waitFor(exchange.idleTimeoutMs);
    const { rest } = this;
    this.rest = NOTHING;
    this.take(rest);
    if (!this.paused && !this.closed) this.socket.resume();
  }

  private take(bytes: Buffer): void {
    const { exchange } = this;
    let taken = 0;
    try {
      taken = this.reader.feed(bytes);
    } catch (error) {
      this.destroy(error as Error);
      return;
    }
    if (taken === bytes.length || this.closed) return;
    if (this.exchange === exchange) this.rest = bytes.subarray(taken);
    else this.destroy(new MalformedAnswer(NOT_ASKED_FOR));
  }

  /** The peer has ended its side. */
  private ended(): void {
    if (this.exchange === null || this.isUnsent || !this.reader.end())
      this.destroy(new errors.SocketError("other side closed"));
  }

  private async writeStream(exchange: Carried, head: string, body: OutgoingStream): Promise<void> {
    const { socket } = this;
    this.isAsked = false;
    try {
      socket.write(head, "latin1");
      let left = body.sizeBytes;
      for await (const piece of body.open()) {
        if (this.exchange !== exchange) return;
        left -= piece.length;
        if (left < 0) break;
        if (!socket.write(piece)) await drained(socket);
        // What takes long to send is no silence.
        if (!this.hasHead) this.waitFor(exchange.firstByteTimeoutMs);
      }
      if (left !== 0) throw new errors.RequestContentLengthMismatchError();
      this.isAsked = true;
    } catch (error) {
      if (this.exchange === exchange) this.destroy(error as Error);
    }
  }

  private waitFor(ms: number): void {
    const nowMs = performance.now();
    this.deadlineMs = this.paused ? Infinity : nowMs + ms;
    if (this.timer === null || this.firesAtMs > this.deadlineMs) this.arm(nowMs);
  }

  /** It is left alone by what comes in time: it looks again when it fires. */
  private arm(nowMs: number): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    if (this.deadlineMs === Infinity) return;
    this.firesAtMs = this.deadlineMs;
    this.timer = setTimeout(() => this.look(), Math.max(1, Math.ceil(this.deadlineMs - nowMs)));
    this.timer.unref();
  }

  private look(): void {
    this.timer = null;
    const nowMs = performance.now();
    if (nowMs < this.deadlineMs) this.arm(nowMs);
    else
      this.destroy(this.hasHead ? new errors.BodyTimeoutError() : new errors.HeadersTimeoutError());
  }

  /** Cuts it: the exchange that it carries fails, or goes over another one where nothing has left. */
  destroy(error: Error): void {
    if (this.closed) return;
    const { exchange } = this;
    this.exchange = null;
    this.close();
    if (exchange === null || exchange.over) return;
    if (this.isUnsent && !(error instanceof errors.ClientDestroyedError))
      this.owner.onUnsent(exchange, this.head);
    else exchange.onFail(error);
  }

  /** The turn of its answer is over. */
  free(): void {
    if (this.closed) return;
    // One that is idle keeps no process alive.
    this.socket.unref();
    this.owner.onFree(this);
  }

  private close(): void {
    if (this.closed) return;
    this.closed = true;
    this.rest = NOTHING;
    this.deadlineMs = Infinity;
    if (this.timer !== null) clearTimeout(this.timer);
    this.reader.stop();
    this.socket.destroy();
    this.owner.onClosed(this);
  }
}

function drained(socket: Socket): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const over = (): void => {
    socket.off("drain", over);
    socket.off("close", over);
    resolve();
  };
  socket.on("drain", over);
  socket.on("close", over);
  if (socket.destroyed) over();
  return promise;
}
