/**
 * Guarantee: refused callers who come again at once, however many, leave the process its turns;
 * each is heard, and one who stalls is cut.
 */
import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { connect } from "node:net";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { AT_ONCE, createRefusalThrottle } from "./refusal-throttle.ts";

const REQUEST = "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}";

/** A server that refuses everybody unread; `onRefused` hears of each. */
async function refusing(t: TestContext, onRefused: () => void): Promise<number> {
  const turns = createRefusalThrottle();
  const server = createServer((request, response) => {
    onRefused();
    response.writeHead(503, ["content-length", "0"]).end();
    turns.refused(request);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** As much of a request as is looked at. */
class LateRequest extends EventEmitter {
  readonly complete: boolean;
  readonly socket = new PassThrough();

  constructor(complete: boolean) {
    super();
    this.complete = complete;
  }

  resume(): void {
    // Nothing is read.
  }

  destroy(): void {
    this.emit("destroyed");
  }
}

function caller(t: TestContext, port: number): Socket {
  const socket = connect(port, "127.0.0.1");
  t.after(() => socket.destroy());
  return socket.on("error", () => undefined);
}

/**
 * Each of the callers asks so often, at once when it is answered. From a thread of their own, which
 * waits for no turn of the server.
 */
const MANY_CALLERS = `
const { connect } = require("node:net");
const { workerData: { port, callers, times, request } } = require("node:worker_threads");
for (let i = 0; i < callers; i++) {
  const socket = connect(port, "127.0.0.1");
  let left = times;
  socket.on("data", () => (--left > 0 ? socket.write(request) : socket.end()));
  socket.write(request);
}`;

test(
  "of many who come again at once only a few are read in a turn, and all of them in the end",
  { timeout: 60_000 },
  async (t) => {
    const CALLERS = 10 * AT_ONCE;
    const TIMES = 30;
    const turns: number[] = [];
    let inThisTurn = 0;
    let watching = true;
    const watch = (): void => {
      turns.push(inThisTurn);
      inThisTurn = 0;
      if (watching) setImmediate(watch);
    };
    setImmediate(watch);
    const port = await refusing(t, () => (inThisTurn += 1));
    const callers = new Worker(MANY_CALLERS, {
      eval: true,
      workerData: { port, callers: CALLERS, times: TIMES, request: REQUEST },
    });
    await once(callers, "exit");
    watching = false;
    assert.equal(turns.reduce((sum, count) => sum + count, 0) + inThisTurn, CALLERS * TIMES);
    // Those who come for the first time are held back by nothing; from then on it is a few in each
    // turn.
    const crowded = turns.filter((count) => count > 2 * AT_ONCE);
    assert.ok(crowded.reduce((sum, count) => sum + count, 0) < 3 * CALLERS, crowded.join(", "));
  },
);

test("a caller among few is read on without a pause", async (t) => {
  const port = await refusing(t, () => undefined);
  const socket = caller(t, port);
  for (let i = 0; i < 300; i++) {
    socket.write(REQUEST);
    const [answer] = (await once(socket, "data")) as [Buffer];
    assert.match(answer.toString(), /^HTTP\/1\.1 503 /);
  }
});

test("in a callers a body that comes later than its turn does not silence its connection", async () => {
  const turns = createRefusalThrottle();
  const requests = Array.from({ length: AT_ONCE + 1 }, (_, i) => new LateRequest(i < AT_ONCE));
  for (const request of requests) turns.refused(request as unknown as IncomingMessage);
  const late = requests.at(-1);
  assert.equal(late?.listenerCount("close"), 1);
  await nextTurn();
  await nextTurn();
  late.emit("close");
  assert.equal(late.socket.isPaused(), false);
});

test("a sender whose body does not end is cut off", { timeout: 10_000 }, async (t) => {
  const port = await refusing(t, () => undefined);
  const socket = caller(t, port);
  socket.write("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 20\r\n\r\n{");
  const [answer] = (await once(socket, "data")) as [Buffer];
  assert.match(answer.toString(), /^HTTP\/1\.1 503 /);
  const startedMs = performance.now();
  await once(socket, "close");
  const ms = performance.now() - startedMs;
  assert.ok(ms > 1_000 && ms < 4_000, `after ${ms} ms`);
});
