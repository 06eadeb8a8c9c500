/**
 * Answers without an end: comments while nothing happens, no faster than they are read, over when
 * their reader has left, broken where they fail.
 */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../../test/support/until.ts";
import { systemClock } from "../kernel/clock.ts";
import { createClientAddress } from "./client-address.ts";
import { createNodeServer, type HttpServer } from "./node-server.ts";
import type { OpenRoute } from "./route.ts";

let server: HttpServer;
let port: number;
const made = { pieces: 0, over: 0 };
before(async () => {
  server = await createNodeServer({
    routes: [
      route("/quiet", async function* (signal) {
        yield "event: first\n\n";
        await sleep(10_000, undefined, { signal }).catch(() => undefined);
      }),
      route("/flood", async function* () {
        for (;;) {
          made.pieces += 1;
          yield `data: ${"x".repeat(64 * 1024)}\n\n`;
        }
      }),
      route("/broken", async function* () {
        yield "event: first\n\n";
        throw new Error("it broke");
      }),
    ],
    rawRoutes: new Map(),
    authenticate: () => assert.fail("nobody is asked for a key here"),
    authenticateMember: () => assert.fail("no session is sent"),
    origin: () => "http://127.0.0.1",
    clientAddress: createClientAddress([]),
    onRequestDone: () => undefined,
    clock: systemClock,
  });
  port = await server.listen({ host: "127.0.0.1", port: 0 });
});
after(() => server.close(0));

function route(path: string, events: (signal: AbortSignal) => AsyncGenerator<string>): OpenRoute {
  return {
    method: "GET",
    path,
    access: "open",
    doc: { operationId: path, summary: path, tag: "Service", responses: {}, errors: [] },
    handle: () => ({ content: { live: (signal) => counted(events(signal)), keepAliveMs: 30 } }),
  };
}

async function* counted(events: AsyncGenerator<string>): AsyncGenerator<string> {
  try {
    yield* events;
  } finally {
    made.over += 1;
  }
}

test("comments come while nothing happens, and the events end when their reader leaves", async () => {
  const before = made.over;
  const leaving = new AbortController();
  const response = await fetch(`http://127.0.0.1:${port}/quiet`, { signal: leaving.signal });
  assert.equal(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
  const reader = (response.body ?? assert.fail()).getReader();
  let heard = "";
  while ((heard.match(/: keep-alive\n\n/g) ?? []).length < 3)
    heard += Buffer.from((await reader.read()).value ?? []).toString();
  assert.match(heard, /^event: first\n\n: keep-alive/);
  leaving.abort();
  await until("the events are over", async () => made.over === before + 1 || null);
});

test("a reader that takes nothing is made nothing for, whatever there would be", async () => {
  const before = made.over;
  const socket = connect(port, "127.0.0.1");
  socket.pause();
  socket.write("GET /flood HTTP/1.1\r\nhost: x\r\n\r\n");
  let last = -1;
  await until("nothing more is made", async () => {
    const now = made.pieces;
    const still = now === last && now > 0;
    last = now;
    await sleep(200);
    return still || null;
  });
  // What the two sockets' buffers take, and nothing in our memory.
  assert.ok(made.pieces < 500, `${made.pieces} pieces of 64 KB`);
  socket.destroy();
  await until("the events are over", async () => made.over === before + 1 || null);
});

test("what fails in the middle looks broken, and HEAD begins nothing", async () => {
  const before = made.over;
  await assert.rejects((await fetch(`http://127.0.0.1:${port}/broken`)).text());
  assert.equal(made.over, before + 1);
  const head = await fetch(`http://127.0.0.1:${port}/flood`, { method: "HEAD" });
  assert.deepEqual([head.status, await head.text(), made.over], [200, "", before + 1]);
});
