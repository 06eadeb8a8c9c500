/** For a request that is answered while its body is still coming: what comes is thrown away, and a sender that does not stop is cut off. */
import type { IncomingMessage } from "node:http";

/** It may go on for a while, so that it gets to read the answer. */
export function cutSlowSender(request: IncomingMessage, lingerMs: number): void {
  request.on("error", () => undefined);
  request.resume();
  const timer = setTimeout(() => request.destroy(), lingerMs);
  request.once("close", () => clearTimeout(timer));
}
