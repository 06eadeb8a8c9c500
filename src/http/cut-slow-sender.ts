/**
 * For a request that is answered while its body is still coming: what comes is thrown away, and a
 * sender that does not stop is cut off.
 */
import type { IncomingMessage, ServerResponse } from "node:http";

/** A sender whose body is not wanted may go on for this long, so that it gets to read why. */
export const LINGER_MS = 2_000;
/** For large bodies: many clients read no answer before all is sent. */
const LONG_BODY_LINGER_MS = 30_000;

/** A server that closes waits for no large body. */
export function lingerMs({
  longBody,
  closing,
}: {
  readonly longBody: boolean;
  readonly closing: boolean;
}): number {
  return longBody && !closing ? LONG_BODY_LINGER_MS : LINGER_MS;
}

/** It may go on for a while, so that it gets to read the answer. */
export function cutSlowSender(request: IncomingMessage, forMs: number): void {
  if (request.destroyed) return;
  request.on("error", () => undefined);
  request.resume();
  const timer = setTimeout(() => request.destroy(), forMs).unref();
  request.once("close", () => clearTimeout(timer));
}

/**
 * Whether Node will close the connection behind this answer, whose headers are set on it or given.
 */
export function closesConnection(response: ServerResponse, head: readonly string[] = []): boolean {
  return (
    !response.shouldKeepAlive ||
    response.getHeader("connection") === "close" ||
    head.includes("close")
  );
}

/**
 * For an answer that is all written and closes its connection: Node would close it at once, and the
 * reset, which the rest of the body then meets, overtakes the answer. So it ends when the body
 * does, or after a while.
 */
export function endBehindSender(
  request: IncomingMessage,
  response: ServerResponse,
  forMs: number,
): void {
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, forMs);
  request.once("end", end);
  response.once("close", end);
  request.resume();
}
