/** For a request that is answered while its body is still coming: what comes is thrown away, and a sender that does not stop is cut off. */
import type { IncomingMessage, ServerResponse } from "node:http";

/** For large bodies: many clients read no answer before all is sent. */
export const LONG_BODY_LINGER_MS = 30_000;

/** It may go on for a while, so that it gets to read the answer. */
export function cutSlowSender(request: IncomingMessage, lingerMs: number): void {
  request.on("error", () => undefined);
  request.resume();
  const timer = setTimeout(() => request.destroy(), lingerMs);
  request.once("close", () => clearTimeout(timer));
}

/**
 * For an answer that is all written and closes its connection: Node would close it at once, and the reset, which the rest of the body then
 * meets, overtakes the answer. So it ends when the body does, or after a while.
 */
export function endBehindSender(request: IncomingMessage, response: ServerResponse, lingerMs: number): void {
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, lingerMs);
  request.once("end", end);
  response.once("close", end);
  request.resume();
}
