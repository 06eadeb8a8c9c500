/**
 * Guards the port: one gateway alone has it, a burst of callers is taken quickly by a busy process,
 * and closing waits for the last connection.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHttpServer, get } from "node:http";
import { connect, createServer } from "node:net";
import type { Socket } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openPort } from "./listen.ts";

const HOST = "127.0.0.1";
const MANY = {
  skip:
    process.platform === "linux"
      ? false
      : "only Linux spreads connections over sockets that share a port",
};

test(
  "a port that another listener has is refused, however many sockets either has",
  MANY,
  async () => {
    for (const [first, second] of [
      [1, 16],
      [16, 16],
      [16, 1],
    ] as const) {
      const held = await openPort(createServer(), { host: HOST, port: 0, sockets: first });
      assert.ok(held.port > 0);
      await assert.rejects(
        openPort(createServer(), { host: HOST, port: held.port, sockets: second }),
        { code: "EADDRINUSE" },
        `${first} then ${second}`,
      );
      await held.close();
      const again = await openPort(createServer(), {
        host: HOST,
        port: held.port,
        sockets: second,
      });
      assert.equal(again.port, held.port);
      await again.close();
    }
  },
);

test("a process whose turns are long takes many callers in each", MANY, async () => {
  let taken = 0;
  let turns = 0;
  const server = createServer((socket) => {
    taken += 1;
    socket.destroy();
  });
  const port = await openPort(server, { host: HOST, port: 0 });
  const callers = Array.from({ length: 400 }, () => connect(port.port, HOST));
  await Promise.all(callers.map((caller) => once(caller, "connect")));
  const { promise, resolve } = Promise.withResolvers<void>();
  (function turn(): void {
    turns += 1;
    if (taken === callers.length || turns === 400) resolve();
    else setImmediate(turn);
  })();
  await promise;
  assert.equal(taken, callers.length);
  assert.ok(turns < 200, `${turns} turns for ${taken} callers`);
  await port.close();
  for (const caller of callers) caller.destroy();
});

test(
  "an HTTP server answers on every socket of its port, and closing waits for what runs on any of them",
  MANY,
  async () => {
    const waiting: Socket[] = [];
    const server = createHttpServer((request, response) => {
      if (request.url === "/wait") waiting.push(request.socket);
      else response.end("here");
      request.socket.once("close", () => response.destroy());
    });
    const port = await openPort(server, { host: HOST, port: 0 });
    const answers = Array.from({ length: 64 }, async () => {
      const [response] = await once(get({ host: HOST, port: port.port, agent: false }), "response");
      return (await response.setEncoding("utf8").toArray()).join("");
    });
    assert.deepEqual(new Set(await Promise.all(answers)), new Set(["here"]));
    const callers = Array.from({ length: 32 }, () =>
      get({ host: HOST, port: port.port, path: "/wait", agent: false }).on(
        "error",
        () => undefined,
      ),
    );
    while (waiting.length < callers.length) await sleep(5);
    let closed = false;
    const closing = port.close().then(() => (closed = true));
    for (const socket of waiting.slice(1)) socket.destroy();
    await sleep(50);
    assert.equal(closed, false);
    waiting[0]?.destroy();
    await closing;
    await assert.rejects(once(connect(port.port, HOST), "connect"), { code: "ECONNREFUSED" });
  },
);
