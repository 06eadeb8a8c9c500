/** The client's side of a chat exchange over a Node response: whole answers in one write, streams with an honest end. */
import type { ServerResponse } from "node:http";
import type { ChatReply } from "../gateway/chat/chat-call.ts";
import type { RateStanding } from "../kernel/rate-limits.ts";

const STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache",
  "x-accel-buffering": "no",
};
/** A connection that is to be broken off but does not take its last bytes is destroyed anyway after this. */
const BREAK_OFF_MS = 5_000;

export function createChatReply(
  response: ServerResponse,
  renderStanding: (standing: RateStanding) => Readonly<Record<string, string>>,
): ChatReply {
  let gone = false;
  const listeners: (() => void)[] = [];
  response.once("close", () => {
    if (response.writableFinished) return;
    gone = true;
    for (const listener of listeners.splice(0)) listener();
  });
  // A write to a socket that the client has reset must not become an unhandled error.
  response.on("error", () => undefined);

  function startStream(headers: Readonly<Record<string, string>> = {}): void {
    if (!response.headersSent && !gone) response.writeHead(200, { ...STREAM_HEADERS, ...headers });
  }

  return {
    get gone() {
      return gone;
    },
    get streamStarted() {
      return response.headersSent;
    },
    onGone(listener) {
      if (gone) listener();
      else listeners.push(listener);
    },
    showStanding(standing) {
      if (response.headersSent) return;
      for (const [name, value] of Object.entries(renderStanding(standing))) response.setHeader(name, value);
    },
    json(status, headers, body) {
      if (gone) return;
      response.writeHead(status, { ...headers, "content-length": body.length });
      response.end(body);
    },
    startStream,
    write(bytes) {
      return gone || response.write(bytes);
    },
    onDrain(listener) {
      response.once("drain", listener);
    },
    end(lastBytes) {
      if (gone) return;
      if (lastBytes === null) response.end();
      else response.end(lastBytes);
    },
    breakOff(lastBytes) {
      if (gone) return;
      const socket = response.socket;
      const timer = setTimeout(() => socket?.destroy(), BREAK_OFF_MS);
      socket?.once("close", () => clearTimeout(timer));
      // Without the closing chunk of the transfer encoding, no client can take this for a complete answer.
      if (lastBytes === null) socket?.destroySoon();
      else response.write(lastBytes, () => socket?.destroySoon());
    },
  };
}
