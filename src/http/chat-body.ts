/** Reads a request body whole, within a size and a deadline. */
import type { IncomingMessage } from "node:http";
import { Fault } from "../kernel/faults.ts";

/**
 * Resolves to the body. Faults: `request_too_large` as soon as the limit is passed (declared or
 * real), `request_timeout` when the sender is too slow, `invalid_request` when the body is
 * compressed or the connection ends early.
 */
export function readBody(
  request: IncomingMessage,
  limitBytes: number,
  deadlineMs: number,
): Promise<Buffer> {
  const declaredBytes = Number(request.headers["content-length"] ?? NaN);
  const refusal = refusalOf(request, declaredBytes, limitBytes);
  if (refusal !== null) return Promise.reject(refusal);
  return new Promise((resolve, reject) => {
    const body = new ComingBody(request, { limitBytes, deadlineMs, resolve, reject });
    // A body that came along with its head, as most do, is all there by the next turn and needs no
    // timer.
    process.nextTick(startClock, body, declaredBytes);
  });
}

function startClock(body: ComingBody, declaredBytes: number): void {
  body.startClock(declaredBytes);
}

interface BodyWish {
  readonly limitBytes: number;
  readonly deadlineMs: number;
  resolve(body: Buffer): void;
  reject(fault: Fault): void;
}

/** A class, because there is one for every request: they share its methods. */
class ComingBody {
  private readonly request: IncomingMessage;
  private readonly wish: BodyWish;
  private readonly onData: (piece: Buffer) => void;
  private first: Buffer | null = null;
  /** All of it, where it comes in several pieces: most bodies come in one. */
  private pieces: Buffer[] | null = null;
  private size = 0;
  private over = false;
  private timer: NodeJS.Timeout | null = null;

  constructor(request: IncomingMessage, wish: BodyWish) {
    this.request = request;
    this.wish = wish;
    this.onData = (piece) => this.add(piece);
    request.on("data", this.onData);
    request.on("end", () => this.end());
    // On a request of Node's an error goes before it only where a listener for errors is set.
    request.on("close", () => this.closed());
  }

  startClock(declaredBytes: number): void {
    if (this.over || this.size === declaredBytes) return;
    const { deadlineMs } = this.wish;
    this.timer = setTimeout(() => this.fail(new Fault("request_timeout")), deadlineMs);
  }

  private add(piece: Buffer): void {
    const { limitBytes } = this.wish;
    this.size += piece.length;
    if (this.size > limitBytes) this.fail(tooLarge(limitBytes));
    else if (this.first === null) this.first = piece;
    else if (this.pieces === null) this.pieces = [this.first, piece];
    else this.pieces.push(piece);
  }

  private end(): void {
    if (this.over) return;
    const { first, pieces, size } = this;
    this.stop();
    this.wish.resolve(pieces === null ? (first ?? Buffer.alloc(0)) : joined(pieces, size));
  }

  private closed(): void {
    if (!this.over) this.fail(endedEarly());
  }

  private fail(fault: Fault): void {
    this.stop();
    this.request.off("data", this.onData);
    this.request.pause();
    this.wish.reject(fault);
  }

  private stop(): void {
    this.over = true;
    this.first = null;
    this.pieces = null;
    if (this.timer !== null) clearTimeout(this.timer);
  }
}

/** What can be said before a byte of the body is read. */
function refusalOf(
  request: IncomingMessage,
  declaredBytes: number,
  limitBytes: number,
): Fault | null {
  const encoding = request.headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity") {
    return new Fault("unsupported_media_type", {
      message: `Send the body uncompressed; content-encoding "${encoding.slice(0, 40)}" is not taken.`,
    });
  }
  if (declaredBytes > limitBytes) return tooLarge(limitBytes);
  // It ended while the key was being looked up: no event will come any more.
  return request.destroyed ? endedEarly() : null;
}

function tooLarge(limitBytes: number): Fault {
  return new Fault("request_too_large", {
    message: `The body is larger than ${limitBytes} bytes. Send less, or pass large media by URL.`,
  });
}

function endedEarly(): Fault {
  return new Fault("invalid_request", {
    message: "The connection ended before the body was complete.",
  });
}

/**
 * The pieces' memory is given back at once. Left to the collector it counts as in use until the
 * next whole collection, and calls for one after a few big bodies.
 */
function joined(pieces: readonly Buffer[], size: number): Buffer {
  const body = Buffer.concat(pieces, size);
  for (const { buffer, byteLength } of pieces) {
    // A piece that shares its memory with others is not ours alone.
    if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
  }
  return body;
}
