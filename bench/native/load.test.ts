/** Protects: the load generator tells truly what it was answered, and asks as it was told. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { compileNative, NoCompiler, type NativePrograms } from "./compile-native.ts";
import { holdStreams, runLoad, type LoadOptions } from "./load.ts";

let native: NativePrograms | null = null;
try {
  native = compileNative();
} catch (error) {
  if (!(error instanceof NoCompiler)) throw error;
}
const skip = native === null ? "there is no C compiler here" : false;
const program = native?.load ?? "";
const folder = mkdtempSync(join(tmpdir(), "load-"));
after(() => rmSync(folder, { recursive: true }));

interface Asked {
  readonly headers: IncomingMessage["headers"];
  readonly path: string;
  readonly method: string;
  readonly body: string;
}

/** A server that answers request number `n` (from 0) as told, and the options that lead to it. */
async function scene(
  answer: (n: number, response: ServerResponse, asked: Asked) => void | Promise<void>,
) {
  const requests: Asked[] = [];
  let sockets = 0;
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const asked = {
        headers: request.headers,
        path: request.url ?? "",
        method: request.method ?? "",
        body: Buffer.concat(pieces).toString(),
      };
      requests.push(asked);
      void answer(requests.length - 1, response, asked);
    });
  }).listen(0, "127.0.0.1");
  server.on("connection", () => (sockets += 1));
  await once(server, "listening");
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  const body = join(folder, `body-${address.port}`);
  writeFileSync(body, '{"text":"number ################"}');
  const options: LoadOptions = { port: address.port, body, connections: 4 };
  return {
    requests,
    options,
    sockets: () => sockets,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

test(
  "every answer is counted by its status, refusals apart, and retry-after is seen",
  { skip },
  async () => {
    await using server = await scene((n, response) => {
      if (n % 5 === 0) response.writeHead(503, { "retry-after": "1" }).end("no");
      else if (n % 5 === 1) response.writeHead(503).end();
      else response.end("yes");
    });
    const result = await runLoad(program, { ...server.options, requests: 100 });
    assert.deepEqual(result.statuses, { 200: 60, 503: 40 });
    assert.equal(result.retryAfters, 20);
    assert.equal(result.latencyUs.count, 60);
    assert.equal(result.refusedUs.count, 40);
    assert.equal(result.bytes, 180);
    assert.deepEqual([result.begun, result.done, server.requests.length], [100, 100, 100]);
    assert.deepEqual(new Set(Object.values(result.errors)), new Set([0]));
  },
);

test(
  "who is refused asks again at once where that is wished, and what is due meanwhile is not asked",
  { skip },
  async () => {
    await using server = await scene((n, response) => {
      if (n % 10 === 9) response.end("yes");
      else response.writeHead(n % 2 === 0 ? 503 : 529).end("no");
    });
    const wish = { ...server.options, connections: 2, rate: 20, seconds: 1 };
    const patient = await runLoad(program, wish);
    assert.equal(patient.begun, 20);
    const again = await runLoad(program, { ...wish, again: true });
    assert.ok(again.begun > 100, String(again.begun));
    assert.equal(again.begun, again.done);
    assert.equal(again.unsent, 0);
    assert.equal(again.latencyUs.count, again.statuses["200"]);
  },
);

test(
  "requests are what they should be: path, headers, keys in turn, a number of its own in each body",
  { skip },
  async () => {
    await using server = await scene((_, response) => void response.end("yes"));
    const keys = join(folder, "keys");
    writeFileSync(keys, "one\ntwo\nthree\n");
    await runLoad(program, {
      ...server.options,
      path: "/there",
      headers: ["x-a: b", "x-c: d"],
      keys,
      requests: 30,
    });
    const by = new Map(
      Object.entries(
        Object.groupBy(server.requests, ({ headers }) => headers.authorization ?? "none"),
      ),
    );
    assert.deepEqual(
      ["Bearer one", "Bearer two", "Bearer three"].map((key) => by.get(key)?.length),
      [10, 10, 10],
    );
    assert.ok(
      server.requests.every(
        ({ path, headers }) =>
          path === "/there" && headers["x-a"] === "b" && headers["x-c"] === "d",
      ),
    );
    assert.ok(server.requests.every(({ method }) => method === "POST"));
    assert.equal(new Set(server.requests.map(({ body }) => body)).size, 30);
    assert.ok(server.requests.every(({ body }) => /^{"text":"number [0-9a-f]{16}"}$/.test(body)));
  },
);

test("a GET without a body is one", { skip }, async () => {
  await using server = await scene((_, response) => void response.end("yes"));
  writeFileSync(server.options.body, "");
  assert.deepEqual(
    (await runLoad(program, { ...server.options, method: "GET", path: "/x", requests: 3 }))
      .statuses,
    { 200: 3 },
  );
  assert.ok(
    server.requests.every(
      ({ method, path, body }) => method === "GET" && path === "/x" && body === "",
    ),
  );
});

test(
  "streams are read to their end, whatever pieces they come in, and one without its proper end is cut",
  { skip },
  async () => {
    await using server = await scene(async (n, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (let event = 0; event < 10; event++) {
        // Half of the answers have their events torn apart between the two line ends.
        for (const piece of n % 2 === 0 ? ["data: something\n\n"] : ["data: something\n", "\n"]) {
          response.write(piece);
          // What is written in one turn goes out as one piece.
          await sleep(1);
        }
      }
      if (n === 7) response.end("data: half of the");
      else response.end("data: [DONE]\n\n");
    });
    const result = await runLoad(program, { ...server.options, requests: 20, expect: "[DONE]" });
    assert.deepEqual(result.statuses, { 200: 20 });
    assert.equal(result.errors.cut, 1);
    assert.equal(result.events, 19 * 11);
    assert.equal(result.chunks, 10 * 11 + 9 * 21);
    assert.equal(result.latencyUs.count, 19);
  },
);

test("the first byte is told apart from the last", { skip }, async () => {
  await using server = await scene(async (_, response) => {
    response.write("first");
    await sleep(400);
    response.end("last");
  });
  const result = await runLoad(program, { ...server.options, requests: 4 });
  // A quarter of the gap is enough: on a busy machine the first byte may be read late.
  assert.ok(result.latencyUs.p50 - result.firstByteUs.max >= 100_000, JSON.stringify(result));
});

test(
  "what breaks is no answer: a connection that ends early, one that is refused, bytes that are not HTTP",
  { skip },
  async () => {
    await using server = await scene((n, response) => {
      if (n % 3 === 0) return void response.socket?.destroy();
      if (n % 3 === 1) return void response.socket?.end("hello\r\n\r\n");
      response.writeHead(200, { "content-length": 100 });
      response.write("half");
      setTimeout(() => response.socket?.destroy(), 5);
    });
    const result = await runLoad(program, { ...server.options, requests: 30 });
    assert.equal(result.latencyUs.count, 0);
    assert.equal(result.errors.reset, 20);
    assert.equal(result.errors.malformed, 10);
    const nobody = await runLoad(program, { ...server.options, port: 1, requests: 10 });
    assert.ok(nobody.errors.connect > 0);
    assert.deepEqual(nobody.statuses, {});
  },
);

test("an end that arrives together with the last bytes is seen", { skip }, async () => {
  await using server = await scene(
    (_, response) =>
      void response.socket?.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf"),
  );
  const result = await runLoad(program, { ...server.options, requests: 200 });
  assert.deepEqual(
    { ...result.errors, reset: 0 },
    { connect: 0, reset: 0, timeout: 0, malformed: 0, cut: 0, unfinished: 0 },
  );
  assert.equal(result.errors.reset, 200);
});

test("a server that closes after each answer is asked over new connections", { skip }, async () => {
  await using server = await scene(
    (_, response) => void response.writeHead(200, { connection: "close" }).end("yes"),
  );
  const result = await runLoad(program, { ...server.options, requests: 20 });
  assert.deepEqual(result.statuses, { 200: 20 });
  assert.deepEqual(new Set(Object.values(result.errors)), new Set([0]));
});

test(
  "at a fixed rate the clock of a request starts when it is due, not when a connection comes free",
  { skip },
  async () => {
    const STALL_MS = 400;
    await using server = await scene(async (n, response) => {
      if (n === 0) await sleep(STALL_MS);
      response.end("yes");
    });
    const result = await runLoad(program, {
      ...server.options,
      connections: 1,
      rate: 100,
      seconds: 0.5,
    });
    assert.equal(result.begun + result.unsent, 50);
    assert.equal(result.done, result.begun);
    // 40 requests fall due while the first one stalls, the one at 250 ms has 150 ms to wait.
    assert.ok(result.latencyUs.p50 >= 120_000, JSON.stringify(result.latencyUs));
  },
);

test("the warm-up is answered but not measured", { skip }, async () => {
  await using server = await scene((_, response) => void response.end("yes"));
  const result = await runLoad(program, {
    ...server.options,
    rate: 100,
    warmUp: 0.3,
    seconds: 0.3,
  });
  assert.ok(result.begun <= 30 && result.begun >= 1, String(result.begun));
  assert.equal(result.statuses["200"], server.requests.length);
  assert.ok(server.requests.length > result.begun);
});

test(
  "held streams are open when each has its first byte, and are held to their end",
  { skip },
  async () => {
    const waiting: ServerResponse[] = [];
    await using server = await scene((n, response) => {
      if (n % 4 === 3) return void response.writeHead(503).end("no");
      response.write("data: first\n\n");
      waiting.push(response);
    });
    const held = await holdStreams(program, { ...server.options, expect: "[DONE]" }, 200);
    assert.deepEqual([held.open, held.failed], [150, 50]);
    for (const response of waiting) response.end("data: [DONE]\n\n");
    const result = await held.ended;
    assert.deepEqual(result.statuses, { 200: 150, 503: 50 });
    assert.deepEqual(new Set(Object.values(result.errors)), new Set([0]));
  },
);

test("callers are spread over all connections where that is wished", { skip }, async () => {
  await using server = await scene((_, response) => void response.end("yes"));
  const wish = { ...server.options, connections: 10, rate: 40, seconds: 1 };
  await runLoad(program, wish);
  const few = server.sockets();
  await runLoad(program, { ...wish, spread: true });
  assert.ok(few < 10, String(few));
  assert.equal(server.sockets() - few, 10);
});
