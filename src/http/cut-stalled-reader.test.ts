/**
 * Guarantee: a reader that takes nothing of an answer, of whatever kind, is cut in time, and one
 * that takes anything at all is not.
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { suite, test } from "node:test";
import type { TestContext } from "node:test";
import { systemClock } from "../kernel/clock.ts";
import { Fault } from "../kernel/faults.ts";
import { createChatReply, createReplyManner } from "./chat-reply.ts";
import type { HttpReply } from "./chat-reply.ts";
import { createClientAddress } from "./client-address.ts";
import { createNodeServer } from "./node-server.ts";
import { TIMEOUTS } from "./server-timeouts.ts";

/** More than the system keeps for a reader who takes nothing. */
const MUCH = Buffer.alloc(32 * 1024 * 1024, "x");
const STALLED_MS = 1_000;

async function serving(
  t: TestContext,
  answer: (reply: HttpReply, request: IncomingMessage) => void,
): Promise<number> {
  const manner = createReplyManner(() => ({}), STALLED_MS);
  const server = createServer((request, response) => {
    request.resume();
    answer(createChatReply(response, [], manner), request);
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function ask(path = "/", headers = ""): string {
  return `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n${headers}\r\n`;
}

/** All the ways in which an answer can wait for its reader. */
const LONG_ANSWERS: Readonly<Record<string, (reply: HttpReply) => void>> = {
  "a whole answer": (reply) => reply.json(200, {}, MUCH),
  "a stream that is ended, as a replay is": (reply) => {
    reply.startStream();
    reply.end(MUCH);
  },
  "a stream that waits for room": (reply) => {
    reply.startStream();
    assert.equal(reply.write(MUCH), false);
    reply.onDrain(() => reply.end(null));
  },
};

suite("a reader that takes nothing", { concurrency: true }, () => {
  for (const [name, give] of Object.entries(LONG_ANSWERS)) {
    test(`${name} is cut, and what gave it is told`, async (t) => {
      const gone = Promise.withResolvers<void>();
      const port = await serving(t, (reply) => {
        reply.onGone(gone.resolve);
        give(reply);
      });
      const socket = connect(port, "127.0.0.1").on("error", () => undefined);
      t.after(() => socket.destroy());
      socket.write(ask());
      await gone.promise;
    });

    test(`${name} is waited for as long as its reader takes anything at all`, async (t) => {
      const port = await serving(t, (reply) => {
        reply.onGone(() => assert.fail("cut"));
        give(reply);
      });
      const socket = connect(port, "127.0.0.1");
      t.after(() => socket.destroy());
      socket.write(ask("/", "connection: close\r\n"));
      let bytes = 0;
      // All in all it takes several times as long as a reader may take nothing. The system asks for
      // more only when a megabyte or two have left.
      for await (const part of socket) {
        bytes += (part as Buffer).length;
        if (bytes < MUCH.length / 2) await new Promise((resolve) => setTimeout(resolve, 10));
      }
      assert.ok(bytes >= MUCH.length);
    });
  }

  test("an answer that waits for one before it on its connection is not taken for one that is not read", async (t) => {
    const first = Promise.withResolvers<void>();
    const port = await serving(t, (reply, request) => {
      reply.onGone(() => assert.fail("cut"));
      if (request.url === "/first")
        void first.promise.then(() => reply.json(200, {}, Buffer.from("first")));
      else reply.json(200, {}, MUCH);
    });
    setTimeout(first.resolve, STALLED_MS * 2);
    const socket = connect(port, "127.0.0.1");
    t.after(() => socket.destroy());
    socket.write(ask("/first") + ask("/second", "connection: close\r\n"));
    let bytes = 0;
    for await (const part of socket) bytes += (part as Buffer).length;
    assert.ok(bytes > MUCH.length);
  });

  test("an answer of the router is cut, and told as broken off", async (t) => {
    const over = Promise.withResolvers<{ readonly aborted: boolean }>();
    const doc = {
      operationId: "x",
      summary: "x",
      tag: "Service",
      responses: {},
      errors: [],
    } as const;
    const server = await createNodeServer({
      routes: [
        {
          method: "GET",
          path: "/much",
          access: "open",
          doc,
          handle: () => ({ content: { contentType: "text/plain", bytes: MUCH } }),
        },
      ],
      rawRoutes: new Map(),
      authenticateMember: () => Promise.reject(new Fault("session_required")),
      origin: () => "http://127.0.0.1",
      clientAddress: createClientAddress([]),
      authenticate: () => Promise.reject(new Fault("invalid_api_key")),
      onRequestDone: over.resolve,
      clock: systemClock,
      timeouts: { ...TIMEOUTS, stalledMs: STALLED_MS },
    });
    const port = await server.listen({ host: "127.0.0.1", port: 0 });
    t.after(() => server.close(100));
    const socket = connect(port, "127.0.0.1").on("error", () => undefined);
    t.after(() => socket.destroy());
    socket.write("GET /much HTTP/1.1\r\nhost: x\r\n\r\n");
    assert.ok((await over.promise).aborted);
  });
});
