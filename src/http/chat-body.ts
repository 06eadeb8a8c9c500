/** Reads a request body whole, within a size and a deadline. */
import type { IncomingMessage } from "node:http";
import { Fault } from "../kernel/faults.ts";

/**
 * Resolves to the body. Faults: `request_too_large` as soon as the limit is passed (declared or real), `request_timeout` when the sender
 * is too slow, `invalid_request` when the body is compressed or the connection ends early.
 */
export function readBody(request: IncomingMessage, limitBytes: number, deadlineMs: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const encoding = request.headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity") {
    reject(
      new Fault("unsupported_media_type", {
        message: `Send the body uncompressed; content-encoding "${encoding.slice(0, 40)}" is not taken.`,
      }),
    );
    return promise;
  }
  const tooLarge = (): Fault =>
    new Fault("request_too_large", { message: `The body is larger than ${limitBytes} bytes. Send less, or pass large media by URL.` });
  if (Number(request.headers["content-length"] ?? 0) > limitBytes) {
    reject(tooLarge());
    return promise;
  }
  const endedEarly = (): Fault => new Fault("invalid_request", { message: "The connection ended before the body was complete." });
  if (request.destroyed) {
    // It ended while the key was being looked up: no event will come any more.
    reject(endedEarly());
    return promise;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(() => stop(new Fault("request_timeout")), deadlineMs);

  function stop(fault: Fault | null): void {
    clearTimeout(timer);
    request.off("data", onData);
    request.off("end", onEnd);
    request.off("close", onClose);
    if (fault !== null) {
      request.pause();
      reject(fault);
    }
  }
  function onData(chunk: Buffer): void {
    size += chunk.length;
    if (size > limitBytes) stop(tooLarge());
    else chunks.push(chunk);
  }
  function onEnd(): void {
    stop(null);
    resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size));
  }
  function onClose(): void {
    stop(endedEarly());
  }
  request.on("data", onData);
  request.on("end", onEnd);
  request.on("close", onClose);
  request.on("error", onClose);
  return promise;
}
