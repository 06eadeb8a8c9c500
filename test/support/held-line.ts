/**
 * A connection on which the test says when what goes out; it stays half open when the server ends
 * its side.
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { TestContext } from "node:test";
import { until } from "./until.ts";

export interface HeldLine {
  readonly socket: Socket;
  /** All that came so far. */
  text(): string;
  /**
   * Writes it in pieces, one each so many milliseconds, and stops when something is said, or the
   * server ends.
   */
  drip(bytes: Buffer, pieceBytes: number, everyMs: number): Promise<void>;
  received(words: RegExp): Promise<unknown>;
  /** The server has ended its side, or broken the connection. */
  ended(): Promise<unknown>;
  /** The connection is gone. */
  closed(): Promise<unknown>;
}

/** It goes with the test. */
export async function dial(t: TestContext, port: number): Promise<HeldLine> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  t.after(() => socket.destroy());
  let text = "";
  let ended = false;
  let closed = false;
  socket.on("data", (part) => (text += part.toString("latin1")));
  socket.on("error", () => undefined);
  socket.on("end", () => (ended = true));
  socket.on("close", () => (closed = true));
  await once(socket, "connect");
  return {
    socket,
    text: () => text,
    async drip(bytes, pieceBytes, everyMs) {
      const before = text.length;
      for (
        let at = 0;
        at < bytes.length && !ended && !closed && text.length === before;
        at += pieceBytes
      ) {
        socket.write(bytes.subarray(at, at + pieceBytes));
        await new Promise((resolve) => setTimeout(resolve, everyMs));
      }
    },
    received: (words) => until(`the answer says ${words}`, async () => words.test(text)),
    ended: () => until("the server ends the connection", async () => ended || closed),
    closed: () => until("the connection is closed", async () => closed),
  };
}
