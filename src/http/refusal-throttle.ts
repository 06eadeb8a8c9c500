/**
 * Callers who were refused without being read are read on a few at a time, so that those who were
 * let in are not kept waiting by refusals.
 */
import type { IncomingMessage } from "node:http";
import { cutSlowSender, LINGER_MS } from "./cut-slow-sender.ts";

export interface RefusalThrottle {
  /** To be called with a request that was answered before its body was read. */
  refused(request: IncomingMessage): void;
}

/** In one turn of the event loop. */
export const AT_ONCE = 96;

/**
 * The runtime reads all callers that have something to say before anything else goes on, up to 48 ×
 * 1,024 of them: seconds of refusals, where those refused come again at once. So beyond a few in
 * each turn, what a refused connection sends next stays with the kernel until its turn comes.
 */
export function createRefusalThrottle(): RefusalThrottle {
  /** First come, first read on. */
  const waiting: IncomingMessage[] = [];

  function turn(): void {
    for (const request of waiting.splice(0, AT_ONCE)) readOn(request);
    if (waiting.length > 0) setImmediate(turn);
  }

  return {
    refused(request) {
      if (waiting.length === 0) setImmediate(turn);
      // Not before its body is over: what reads bodies would take the pause back.
      if (waiting.length >= AT_ONCE) request.once("close", pause);
      waiting.push(request);
    },
  };
}

function readOn(request: IncomingMessage): void {
  const { socket } = request;
  request.off("close", pause);
  if (!request.complete) cutSlowSender(request, LINGER_MS);
  else if (socket.isPaused()) socket.resume();
}

/** One function for all: it is their listener. */
function pause(this: IncomingMessage): void {
  this.socket.pause();
}
