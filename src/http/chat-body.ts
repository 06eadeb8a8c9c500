/** Reads a request body whole, within a size and a deadline. */
import type { IncomingMessage } from "node:http";
import { Fault } from "../kernel/faults.ts";
import { ArrivingRequest, type BodyTaker } from "./arriving-request.ts";

export interface BodyLimits {
  readonly limitBytes: number;
  readonly deadlineMs: number;
}

/** Hears once what became of a body. */
export interface BodyListener {
  came(body: Buffer): void;
  failed(fault: Fault): void;
}

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
  return new Promise((resolve, reject) =>
    takeBody(request, { limitBytes, deadlineMs }, { came: resolve, failed: reject }),
  );
}

/**
 * The same without a promise: a body that comes with its head is heard of while the parser is at
 * it.
 */
export function takeBody(
  request: IncomingMessage,
  limits: BodyLimits,
  listener: BodyListener,
): void {
  const declaredBytes = Number(request.headers["content-length"] ?? NaN);
  const refusal = refusalOf(request, declaredBytes, limits.limitBytes);
  if (refusal !== null) return listener.failed(refusal);
  const body = new ComingBody(request, limits, listener);
  body.begin();
  // A body that came along with its head, as most do, is all there by the next turn and needs no
  // timer.
  process.nextTick(startClock, body, declaredBytes);
}

function startClock(body: ComingBody, declaredBytes: number): void {
  body.startClock(declaredBytes);
}

/** A class, because there is one for every request: they share its methods. */
class ComingBody implements BodyTaker {
  private readonly request: IncomingMessage;
  private readonly limits: BodyLimits;
  private readonly listener: BodyListener;
  /** Where it comes through the stream. */
  private onData: ((piece: Buffer) => void) | null = null;
  private first: Buffer | null = null;
  /** All of it, where it comes in several pieces: most bodies come in one. */
  private pieces: Buffer[] | null = null;
  private size = 0;
  private over = false;
  private timer: NodeJS.Timeout | null = null;

  constructor(request: IncomingMessage, limits: BodyLimits, listener: BodyListener) {
    this.request = request;
    this.limits = limits;
    this.listener = listener;
  }

  begin(): void {
    const { request } = this;
    if (request instanceof ArrivingRequest && request.handTo(this)) return;
    this.onData = (piece) => this.piece(piece);
    request.on("data", this.onData);
    request.on("end", () => this.end());
    // On a request of Node's an error goes before it only where a listener for errors is set.
    request.on("close", () => this.lost());
  }

  startClock(declaredBytes: number): void {
    if (this.over || this.size === declaredBytes) return;
    const { deadlineMs } = this.limits;
    this.timer = setTimeout(() => this.fail(new Fault("request_timeout")), deadlineMs);
  }

  piece(bytes: Buffer): void {
    const { limitBytes } = this.limits;
    this.size += bytes.length;
    if (this.size > limitBytes) this.fail(tooLarge(limitBytes));
    else if (this.first === null) this.first = bytes;
    else if (this.pieces === null) this.pieces = [this.first, bytes];
    else this.pieces.push(bytes);
  }

  end(): void {
    if (this.over) return;
    const { first, pieces, size } = this;
    this.stop();
    this.listener.came(pieces === null ? (first ?? NO_BODY) : joined(pieces, size));
  }

  lost(): void {
    if (!this.over) this.fail(endedEarly());
  }

  private fail(fault: Fault): void {
    const { request } = this;
    this.stop();
    if (this.onData !== null) request.off("data", this.onData);
    else if (request instanceof ArrivingRequest) request.takeBack();
    request.pause();
    this.listener.failed(fault);
  }

  private stop(): void {
    this.over = true;
    this.first = null;
    this.pieces = null;
    if (this.timer !== null) clearTimeout(this.timer);
  }
}

const NO_BODY = Buffer.alloc(0);

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
