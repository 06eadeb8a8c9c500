/**
 * Protects: an answer in chunks is the same bytes however it is cut, paused and ended; and what is
 * cut, silent or nonsense is no clean end.
 */
// Runs in a process of its own: it changes which authorities its process trusts.
import assert from "node:assert/strict";
import type { AddressInfo, Server, Socket } from "node:net";
import { createServer } from "node:net";
import { after, test } from "node:test";
import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";
import { createServer as createTlsServer, setDefaultCACertificates } from "node:tls";
import { LOOPBACK_PEM } from "../../test/support/loopback-identity.ts";
import { seededRandom } from "../../test/support/seeded-random.ts";
import { createOutgoing, type Exchange } from "./outgoing.ts";

const HEAD =
  "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
const END = "0\r\n\r\n";

const outgoing = createOutgoing();
const servers: Server[] = [];
after(async () => {
  await outgoing.close();
  for (const server of servers) server.close();
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** Answers each request that comes, one after the other on its connection. */
function answering(answer: (socket: Socket) => Promise<void>): (socket: Socket) => void {
  return (socket) => {
    socket.setNoDelay(true);
    socket.on("error", () => undefined);
    let before = Promise.resolve();
    socket.on("data", () => {
      before = before.then(() => answer(socket));
    });
  };
}

interface Heard {
  readonly body: Buffer;
  readonly end: string;
}

interface CallOptions {
  readonly idleMs?: number;
  readonly onPiece?: (exchange: Exchange, soFar: number) => void;
}

function call(origin: string, { idleMs = 2_000, onPiece }: CallOptions = {}): Promise<Heard> {
  const { promise, resolve } = Promise.withResolvers<Heard>();
  const pieces: Buffer[] = [];
  let bytes = 0;
  const over = (end: string): void => resolve({ body: Buffer.concat(pieces), end });
  const exchange = outgoing.send(
    {
      origin,
      path: "/",
      method: "POST",
      headers: {},
      body: Buffer.from("{}"),
      connectTimeoutMs: 2_000,
      firstByteTimeoutMs: 2_000,
      idleTimeoutMs: idleMs,
    },
    {
      onHeaders: () => undefined,
      onData(piece) {
        pieces.push(Buffer.from(piece));
        bytes += piece.length;
        onPiece?.(exchange, bytes);
      },
      onEnd: () => over("end"),
      onError: (error) => over(error.kind),
    },
  );
  return promise;
}

function chunk(data: Buffer | string): Buffer {
  const bytes = Buffer.from(data);
  return Buffer.concat([
    Buffer.from(`${bytes.length.toString(16)}\r\n`),
    bytes,
    Buffer.from("\r\n"),
  ]);
}

/** Sends bytes in pieces which mostly are read one by one. */
async function sendIn(socket: Socket, pieces: Iterable<Buffer>): Promise<void> {
  for (const piece of pieces) {
    socket.write(piece);
    await turn();
    await turn();
  }
}

interface Script {
  readonly body: Buffer;
  readonly pieces: readonly Buffer[];
}

/** A body in chunks of any size, written in pieces that mostly, but not always, are whole chunks. */
function randomScript(random: () => number): Script {
  const framed: Buffer[] = [];
  const datas: Buffer[] = [];
  const upTo = (most: number): number => 1 + Math.floor(random() * most);
  for (let i = upTo(60); i > 0; i--) {
    const data = Buffer.alloc(upTo(random() < 0.1 ? 3_000 : 40));
    // Much of it looks like framing.
    for (let at = 0; at < data.length; at++)
      data[at] = "\r\n05af.;".charCodeAt(Math.floor(random() * 8));
    datas.push(data);
    framed.push(chunk(data));
  }
  framed.push(Buffer.from(END));
  const pieces: Buffer[] = [];
  let waiting = Buffer.from(HEAD);
  for (const part of framed) {
    waiting = Buffer.concat([waiting, part]);
    const cut = random() < 0.2 ? upTo(waiting.length) : waiting.length;
    if (random() < 0.2) continue;
    pieces.push(waiting.subarray(0, cut));
    waiting = waiting.subarray(cut);
  }
  if (waiting.length > 0) pieces.push(waiting);
  return { body: Buffer.concat(datas), pieces };
}

test("random answers come whole, one after the other on a connection, paused at random", async () => {
  const random = seededRandom(20_261_128);
  const scripts = Array.from({ length: 150 }, () => randomScript(random));
  let next = 0;
  const port = await listen(
    createServer(answering((socket) => sendIn(socket, scripts[next++]?.pieces ?? []))),
  );
  for (const [index, { body }] of scripts.entries()) {
    const heard = await call(`http://127.0.0.1:${port}`, {
      onPiece(exchange) {
        const chance = random();
        if (chance > 0.3) return;
        exchange.pause();
        if (chance < 0.05) exchange.resume();
        else if (chance < 0.2) queueMicrotask(() => exchange.resume());
        else setTimeout(() => exchange.resume(), 2);
      },
    });
    assert.equal(heard.end, "end", `answer ${index}`);
    assert.ok(heard.body.equals(body), `answer ${index} came changed`);
  }
});

test("the same over TLS", async () => {
  setDefaultCACertificates([LOOPBACK_PEM]);
  const random = seededRandom(7);
  const scripts = Array.from({ length: 40 }, () => randomScript(random));
  let next = 0;
  const port = await listen(
    createTlsServer(
      { key: LOOPBACK_PEM, cert: LOOPBACK_PEM },
      answering((socket) => sendIn(socket, scripts[next++]?.pieces ?? [])),
    ),
  );
  for (const [index, { body }] of scripts.entries()) {
    const heard = await call(`https://127.0.0.1:${port}`);
    assert.equal(heard.end, "end", `answer ${index}`);
    assert.ok(heard.body.equals(body), `answer ${index} came changed`);
  }
});

/** A peer that sends its head and then a chunk each so many milliseconds, and what it is asked to last. */
async function ticking(everyMs: number, times: number, last: string): Promise<string> {
  const port = await listen(
    createServer(
      answering(async (socket) => {
        socket.write(HEAD);
        for (let i = 0; i < times; i++) {
          socket.write(chunk(`<${i}>`));
          await sleep(everyMs);
        }
        if (last === "close") socket.destroy();
        else socket.write(last);
      }),
    ),
  );
  return `http://127.0.0.1:${port}`;
}

const ticks = (times: number): string => Array.from({ length: times }, (_, i) => `<${i}>`).join("");

test("an answer that goes on is not taken for silence, and silence is", async () => {
  const going = await call(await ticking(30, 60, END), { idleMs: 400 });
  assert.deepEqual([going.end, going.body.toString()], ["end", ticks(60)]);
  const silent = await call(await ticking(10, 20, ""), { idleMs: 400 });
  assert.deepEqual([silent.end, silent.body.toString()], ["idle-timeout", ticks(20)]);
});

test("the clock of silence stands still while the exchange is paused", async () => {
  const origin = await ticking(5, 20, "");
  let ended = false;
  let paused: Exchange | null = null;
  const heard = call(origin, {
    idleMs: 300,
    onPiece(exchange, soFar) {
      if (soFar < ticks(20).length) return;
      paused = exchange;
      exchange.pause();
    },
  });
  void heard.then(() => (ended = true));
  await sleep(2_500);
  assert.ok(paused !== null, "all chunks have come");
  assert.equal(ended, false, "an exchange that is paused was given up");
  (paused as Exchange).resume();
  assert.equal((await heard).end, "idle-timeout");
});

test("a connection that closes, or goes on with nonsense, between two chunks is no clean end", async () => {
  const closed = await call(await ticking(5, 20, "close"));
  assert.deepEqual([closed.end, closed.body.toString()], ["closed", ticks(20)]);
  const nonsense = await call(await ticking(5, 20, "2\r\nab\r\nxy\r\n"));
  assert.deepEqual([nonsense.end, nonsense.body.toString()], ["protocol", `${ticks(20)}ab`]);
});

test("an abort from within a chunk is the last that is heard", async () => {
  const port = await listen(
    createServer(
      answering(async (socket) => {
        await sendIn(socket, [Buffer.from(HEAD), chunk("a"), chunk("b")]);
        socket.write(Buffer.concat([chunk("c"), chunk("d"), chunk("e"), Buffer.from(END)]));
      }),
    ),
  );
  const heard = await call(`http://127.0.0.1:${port}`, {
    onPiece: (exchange, soFar) => void (soFar === 3 && exchange.abort()),
  });
  assert.deepEqual([heard.end, heard.body.toString()], ["aborted", "abc"]);
});

interface Uploaded {
  readonly end: string;
  /** What the peer was sent behind the head. */
  readonly body: string;
}

/** A request whose body is read while it is sent; the peer answers when it has so many bytes. */
async function upload(
  pieces: readonly string[],
  sizeBytes: number,
  answersAfter: number,
): Promise<Uploaded> {
  let body = "";
  const port = await listen(
    createServer((socket) => {
      let text = "";
      socket
        .on("error", () => undefined)
        .on("data", (bytes: Buffer) => {
          text += bytes.toString("latin1");
          body = text.slice(text.indexOf("\r\n\r\n") + 4);
          if (body.length >= answersAfter)
            socket.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
        });
    }),
  );
  const { promise, resolve } = Promise.withResolvers<string>();
  outgoing.send(
    {
      origin: `http://127.0.0.1:${port}`,
      path: "/",
      method: "POST",
      headers: { "content-length": String(sizeBytes) },
      body: {
        sizeBytes,
        async *open() {
          for (const piece of pieces) {
            await sleep(1);
            if (piece === "!") throw new Error("it cannot be read");
            yield Buffer.from(piece);
          }
        },
      },
      connectTimeoutMs: 2_000,
      firstByteTimeoutMs: 2_000,
      idleTimeoutMs: 2_000,
    },
    {
      onHeaders: () => undefined,
      onData: () => undefined,
      onEnd: () => resolve("end"),
      onError: (error) => resolve(error.kind),
    },
  );
  return { end: await promise, body };
}

test("a body that is read while it is sent comes whole, or its exchange fails", async () => {
  const large = Array.from({ length: 200 }, () => "x".repeat(20_000));
  const all = 200 * 20_000;
  const whole = await upload(large, all, all);
  assert.deepEqual([whole.end, whole.body.length], ["end", all]);
  assert.deepEqual(await upload(["ab", "cd"], 4, 4), { end: "end", body: "abcd" });
  assert.equal((await upload(["ab", "cd"], 5, 5)).end, "closed", "too short");
  assert.equal((await upload(["ab", "cd"], 3, 99)).end, "closed", "too long");
  assert.equal((await upload(["ab", "!"], 4, 4)).end, "closed", "it cannot be read");
});

test("an answer before all of the request is taken, and its connection not used again", async () => {
  const early = await upload(["ab", "cd", "ef"], 6, 2);
  assert.equal(early.end, "end");
});

interface Questions {
  readonly times: number;
  /** What is waited for between an answer and the next question. */
  readonly between?: () => Promise<unknown>;
}

/** Asks a peer one request after the other: each has to come over a connection of its own. */
async function eachOverItsOwn(
  { times, between }: Questions,
  answer: (socket: Socket) => void,
): Promise<void> {
  let opened = 0;
  const port = await listen(
    createServer((socket) => {
      opened += 1;
      socket.on("error", () => undefined).on("data", () => answer(socket));
    }),
  );
  for (let each = 1; each <= times; each += 1) {
    const heard = await call(`http://127.0.0.1:${port}`);
    assert.deepEqual([heard.end, heard.body.toString(), opened], ["end", "x", each]);
    if (between !== undefined) await between();
  }
}

test("a request that a connection could not take any more goes over another one", () =>
  // It says nothing of closing, and does.
  eachOverItsOwn({ times: 20 }, (socket) => {
    socket.end("HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx");
  }));

test("a connection of which its answer says that it closes is not used again, however long it stays", () =>
  // By then it would be free.
  eachOverItsOwn({ times: 3, between: () => turn() }, (socket) => {
    socket.write("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 1\r\n\r\nx");
  }));
