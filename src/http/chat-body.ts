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
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  let first: Buffer | null = null;
  /** All of it, where it comes in several pieces: most bodies come in one. */
  let pieces: Buffer[] | null = null;
  let size = 0;
  let over = false;
  let timer: NodeJS.Timeout | null = null;

  function stop(): void {
    over = true;
    first = null;
    pieces = null;
    if (timer !== null) clearTimeout(timer);
  }
  function fail(fault: Fault): void {
    stop();
    request.off("data", onData);
    request.pause();
    reject(fault);
  }
  function onData(piece: Buffer): void {
    size += piece.length;
    if (size > limitBytes) fail(tooLarge(limitBytes));
    else if (first === null) first = piece;
    else if (pieces === null) pieces = [first, piece];
    else pieces.push(piece);
  }
  function onEnd(): void {
    if (over) return;
    const body = pieces === null ? (first ?? Buffer.alloc(0)) : joined(pieces, size);
    stop();
    resolve(body);
  }
  request.on("data", onData);
  request.on("end", onEnd);
  // On a request of Node's an error goes before it only where a listener for errors is set.
  request.on("close", () => {
    if (!over) fail(endedEarly());
  });
  // A body that came along with its head, as most do, is all there by the next turn and needs no
  // timer.
  process.nextTick(() => {
    if (!over && size !== declaredBytes)
      timer = setTimeout(() => fail(new Fault("request_timeout")), deadlineMs);
  });
  return promise;
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
