/**
 * Protects: a connection carries one exchange at a time, is used again, and is forgotten when it
 * has closed; no exchange waits for another.
 */
// Runs in a process of its own: its connections stay open for a while.
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createSecureServer as createHttp2Server } from "node:http2";
import { createServer as createHttpsServer } from "node:https";
import {
  createServer as createTcpServer,
  type AddressInfo,
  type Server,
  type Socket,
} from "node:net";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { setDefaultCACertificates } from "node:tls";
import { queryObjects } from "node:v8";
import { LOOPBACK_PEM } from "../../test/support/loopback-identity.ts";
import { createConnectionPool, type ConnectionPool } from "./connection-pool.ts";
import { Http1Connection } from "./http1-connection.ts";
import { createOutgoing } from "./outgoing.ts";

const closers: (() => unknown)[] = [];
after(async () => {
  for (const close of closers) await close();
});

type Handler = (request: IncomingMessage, response: ServerResponse, atOnce: number) => void;

interface Peer {
  readonly origin: string;
  readonly pool: ConnectionPool;
  readonly sockets: Set<Socket>;
  /** Connections since the start. */
  opened: number;
}

/** `atOnce` is how many requests are under way on the connection, this one included. */
async function startPeer(answer: Handler): Promise<Peer> {
  const underWay = new Map<Socket, number>();
  const server = createServer((request, response) => {
    const { socket } = request;
    const atOnce = (underWay.get(socket) ?? 0) + 1;
    underWay.set(socket, atOnce);
    response.once("close", () => underWay.set(socket, (underWay.get(socket) ?? 1) - 1));
    request.resume().once("end", () => answer(request, response, atOnce));
  });
  const origin = `http://127.0.0.1:${await listen(server)}`;
  const peer: Peer = {
    origin,
    pool: createConnectionPool(origin, 1000),
    sockets: new Set(),
    opened: 0,
  };
  server.on("connection", (socket: Socket) => {
    peer.opened += 1;
    peer.sockets.add(socket);
    socket.once("close", () => peer.sockets.delete(socket));
  });
  closers.push(
    () => peer.pool.destroy(),
    () => server.close(),
  );
  return peer;
}

const TIMEOUTS = { firstByteTimeoutMs: 60_000, idleTimeoutMs: 60_000 };

/** Resolves to what the exchange heard at its end: a status, or the name of an error. */
function ask(
  pool: ConnectionPool,
  path = "/",
  headers: Record<string, string> = {},
): Promise<number | string> {
  const { promise, resolve } = Promise.withResolvers<number | string>();
  let status = 0;
  const exchange = {
    request: {
      path,
      method: "POST" as const,
      headers,
      body: Buffer.from("{}"),
      ...TIMEOUTS,
    },
    ...TIMEOUTS,
    over: false,
    onCarrier: () => undefined,
    onWritten: () => undefined,
    onHead: (code: number) => void (status = code),
    onBody: () => undefined,
    onEnd() {
      exchange.over = true;
      resolve(status);
    },
    onFail(error: Error) {
      exchange.over = true;
      resolve(error.name);
    },
  };
  pool.dispatch(exchange);
  return promise;
}

/** Until the pool has seen that the connection is free. */
const settled = (): Promise<void> => sleep(10);

// The first of all: connections of the others close when they like.
test("of a connection that has closed nothing is kept", async () => {
  const peer = await startPeer((_request, response) => response.end());
  const kept = (): number => queryObjects(Http1Connection, { format: "count" });
  await Promise.all(Array.from({ length: 20 }, () => ask(peer.pool)));
  assert.equal(kept(), 20);
  for (const socket of peer.sockets) socket.destroy();
  const untilMs = performance.now() + 5_000;
  while (kept() > 0 && performance.now() < untilMs) await sleep(20);
  assert.equal(kept(), 0);
});

test("one after the other share a connection; at the same time each has its own, and they are used again", async () => {
  const peer = await startPeer((_request, response) => setTimeout(() => response.end("x"), 20));
  for (let each = 0; each < 3; each += 1) {
    assert.equal(await ask(peer.pool), 200);
    await settled();
  }
  assert.equal(peer.opened, 1);
  for (let round = 0; round < 2; round += 1) {
    assert.deepEqual(
      await Promise.all(Array.from({ length: 5 }, () => ask(peer.pool))),
      [200, 200, 200, 200, 200],
    );
    await settled();
    assert.equal(peer.opened, 5);
  }
});

test("the connection that was free last is taken first, so that the others can end", async () => {
  const seen = new Set<Socket>();
  const peer = await startPeer((request, response) => {
    seen.add(request.socket);
    setTimeout(() => response.end("x"), 10);
  });
  await Promise.all(Array.from({ length: 4 }, () => ask(peer.pool)));
  await settled();
  seen.clear();
  for (let each = 0; each < 4; each += 1) {
    await ask(peer.pool);
    await settled();
  }
  assert.equal(seen.size, 1);
});

test("a connection that the peer closed while it was free is not used again", async () => {
  const peer = await startPeer((_request, response) => response.end("x"));
  await Promise.all([ask(peer.pool), ask(peer.pool), ask(peer.pool)]);
  await settled();
  for (const socket of peer.sockets) socket.end();
  while (peer.sockets.size > 0) await settled();
  assert.deepEqual([await ask(peer.pool), peer.opened], [200, 4]);
});

test("a request that cannot be sent costs no connection", async () => {
  const peer = await startPeer((_request, response) => response.end("x"));
  assert.equal(await ask(peer.pool), 200);
  await settled();
  for (let each = 0; each < 3; each += 1)
    assert.equal(await ask(peer.pool, "/", { "x-bad": "a\r\nb" }), "InvalidArgumentError");
  await settled();
  assert.deepEqual(await Promise.all([ask(peer.pool), ask(peer.pool)]), [200, 200]);
  assert.equal(peer.opened, 2);
});

test("an answer that was not asked for reaches no other exchange (hazards §223)", async (t) => {
  const STRAY = "HTTP/1.1 299 Stray\r\ncontent-length: 1\r\n\r\ns";
  const OWN = "HTTP/1.1 201 Own\r\ncontent-length: 1\r\n\r\no";
  for (const [when, answer] of [
    ["in the same packet", (socket: Socket) => void socket.write(OWN + STRAY)],
    [
      "when the connection is free",
      (socket: Socket) => {
        socket.write(OWN);
        setTimeout(() => socket.write(STRAY), 5);
      },
    ],
  ] as const) {
    await t.test(when, async () => {
      let opened = 0;
      const server = createTcpServer((socket) => {
        opened += 1;
        socket.on("error", () => undefined).on("data", () => answer(socket));
      });
      const pool = createConnectionPool(`http://127.0.0.1:${await listen(server)}`, 1000);
      closers.push(
        () => pool.destroy(),
        () => server.close(),
      );
      for (let each = 0; each < 4; each += 1) {
        assert.equal(await ask(pool), 201);
        await sleep(30);
      }
      // None of them is used again: what else may come on it?
      assert.equal(opened, 4);
    });
  }
});

test("the end of the pool cuts what is under way", async () => {
  const peer = await startPeer(() => undefined);
  const asked = ask(peer.pool);
  await settled();
  peer.pool.destroy();
  assert.equal(await asked, "ClientDestroyedError");
  while (peer.sockets.size > 0) await settled();
});

/** A key and its certificate for 127.0.0.1, trusted only here. */

/** Answers over TLS; tells how many connections it had. */
async function startTlsPeer(
  protocol: "h2" | "http/1.1",
): Promise<{ readonly pool: ConnectionPool; opened(): number }> {
  setDefaultCACertificates([LOOPBACK_PEM]);
  let opened = 0;
  const identity = { key: LOOPBACK_PEM, cert: LOOPBACK_PEM };
  const server = protocol === "h2" ? createHttp2Server(identity) : createHttpsServer(identity);
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    request.resume();
    setTimeout(() => response.end("x"), 30);
  });
  server.on("secureConnection", () => (opened += 1));
  const pool = createConnectionPool(`https://127.0.0.1:${await listen(server)}`, 1000);
  closers.push(
    () => pool.destroy(),
    () => server.close(),
  );
  return { pool, opened: () => opened };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

const many = (pool: ConnectionPool, count: number): Promise<(number | string)[]> =>
  Promise.all(Array.from({ length: count }, () => ask(pool)));

test("over HTTP/2, those that come at the same time share a connection, also while the first is being opened", async () => {
  const peer = await startTlsPeer("h2");
  for (let round = 0; round < 2; round += 1) {
    assert.deepEqual(new Set(await many(peer.pool, 150)), new Set([200]));
    // A connection has room for 100.
    assert.ok(peer.opened() >= 2 && peer.opened() <= 3, `${peer.opened()} connections`);
  }
});

test("over TLS without HTTP/2 each has its own connection", async () => {
  const peer = await startTlsPeer("http/1.1");
  assert.deepEqual(new Set(await many(peer.pool, 20)), new Set([200]));
  assert.equal(peer.opened(), 20);
});

test("those that waited for a connection that never opens do not wait for one after the other", async () => {
  const deaf = createTcpServer((socket) => socket.on("error", () => undefined));
  const pool = createConnectionPool(`https://127.0.0.1:${await listen(deaf)}`, 300);
  const begun = performance.now();
  assert.deepEqual(new Set(await many(pool, 20)), new Set(["ConnectTimeoutError"]));
  assert.ok(performance.now() - begun < 5000);
  const asked = many(pool, 2);
  await settled();
  pool.destroy();
  assert.deepEqual(await asked, ["ClientDestroyedError", "ClientDestroyedError"]);
  deaf.close();
});

test("whatever becomes of the connections, none carries two exchanges, and each exchange has one end", async () => {
  let most = 0;
  const peer = await startPeer((request, response, atOnce) => {
    most = Math.max(most, atOnce);
    const [, what, ms] = (request.url ?? "").split("/");
    setTimeout(() => {
      if (what === "cut") request.socket.destroy();
      else if (what === "close") response.writeHead(200, { connection: "close" }).end("x");
      else if (what === "half")
        response
          .writeHead(200, { "content-length": "9" })
          .write("half", () => request.socket.destroy());
      else response.end("x");
    }, Number(ms));
  });
  const outgoing = createOutgoing();
  const kinds = ["good", "good", "good", "close", "cut", "half", "abort"];
  const ends: Record<string, number> = {};
  let seed = 7;
  const next = (below: number): number => (seed = (seed * 48271) % 0x7fffffff) % below;
  function exchange(): Promise<void> {
    const kind = kinds[next(kinds.length)] ?? "good";
    const { promise, resolve } = Promise.withResolvers<void>();
    function end(how: string): void {
      ends[`${kind} ${how}`] = (ends[`${kind} ${how}`] ?? 0) + 1;
      resolve();
    }
    const sent = outgoing.send(
      {
        origin: peer.origin,
        path: `/${kind}/${next(8)}`,
        method: "POST",
        headers: {},
        body: Buffer.from("{}"),
        connectTimeoutMs: 1000,
        firstByteTimeoutMs: 5000,
        idleTimeoutMs: 5000,
      },
      {
        onHeaders: () => undefined,
        onData: () => undefined,
        onEnd: () => end("end"),
        onError: (error) => end(error.kind),
      },
    );
    if (kind === "abort") setTimeout(() => sent.abort(), next(4));
    return promise;
  }
  const runs = Array.from({ length: 20 }, async () => {
    for (let each = 0; each < 40; each += 1) await exchange();
  });
  await Promise.all(runs);
  await sleep(50);
  await outgoing.close();
  assert.equal(most, 1);
  assert.equal(
    Object.values(ends).reduce((sum, count) => sum + count, 0),
    800,
  );
  const {
    "good end": good,
    "close end": close,
    "cut closed": cut,
    "half closed": half,
    "abort aborted": aborted,
    ...odd
  } = ends;
  assert.ok(
    [good, close, cut, half, aborted].every((count) => (count ?? 0) > 40),
    JSON.stringify(ends),
  );
  // An abort may come too late; nothing else may end in another way than it was made to.
  assert.deepEqual(
    Object.keys(odd).filter((key) => key !== "abort end"),
    [],
  );
});
