/**
 * Protects: an answer in chunks is the same bytes whether its chunks go by undici's parser or past
 * it, however they are cut, paused and ended; and nothing but whole, plain chunks goes past it.
 */
// Runs in a process of its own: it changes which authorities its process trusts.
import assert from "node:assert/strict";
import type { AddressInfo, Server, Socket } from "node:net";
import { createServer } from "node:net";
import { Duplex } from "node:stream";
import { after, test } from "node:test";
import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";
import { createServer as createTlsServer, setDefaultCACertificates } from "node:tls";
import { LOOPBACK_PEM } from "../../test/support/loopback-identity.ts";
import { seededRandom } from "../../test/support/seeded-random.ts";
import { createChunkBypass, type ChunkBypass } from "./chunk-bypass.ts";
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

interface ByHand {
  readonly bypass: ChunkBypass;
  /** What has gone past undici's parser. */
  readonly past: string[];
  read(bytes: Buffer | string): void;
  /** What undici's parser is given now; null for nothing. */
  given(): string | null;
}

/** A connection whose reads the test makes; undici's parser has just passed a whole chunk on. */
function betweenTwoChunks(onChunk: (bypass: ChunkBypass) => void = () => undefined): ByHand {
  const socket = new Duplex({ read: () => undefined });
  const bypass = createChunkBypass();
  const past: string[] = [];
  bypass.watch(socket);
  bypass.begin(
    {
      onChunk(bytes) {
        past.push(bytes.toString());
        onChunk(bypass);
      },
    },
    60_000,
  );
  const first = chunk("first");
  socket.push(first);
  assert.equal(String(socket.read()), "5\r\nfirst\r\n");
  bypass.passed(first.subarray(3, 8));
  return {
    bypass,
    past,
    read: (bytes) => void socket.push(Buffer.from(bytes)),
    given: () => (socket.read() as Buffer | null)?.toString() ?? null,
  };
}

test("a read of whole chunks goes past the parser, chunk by chunk", () => {
  const { past, read, given } = betweenTwoChunks();
  read(Buffer.concat([chunk("second"), chunk("third")]));
  read("00A\r\nthe fourth\r\n");
  assert.deepEqual(past, ["second", "third", "the fourth"]);
  assert.equal(given(), null);
});

test("what is no whole, plain chunk is the parser's, and all behind it", () => {
  const tails = [
    END,
    "0\r\nx-trailer: 1\r\n\r\n",
    "6;name=value\r\nsecond\r\n",
    "6 \r\nsecond\r\n",
    "6\nsecond\n",
    "6\r\nsecond",
    "6\r\nsecond\r",
    "6\r\nsecondary\r\n",
    "6\r\nsec",
    "6\r",
    "6",
    "\r\nsecond\r\n",
    "-6\r\nsecond\r\n",
    "0x6\r\nsecond\r\n",
    "00000006\r\nsecond\r\n",
    "fffffff\r\nsecond\r\n",
    "HTTP/1.1 200 OK\r\n\r\n",
  ];
  for (const tail of tails) {
    const alone = betweenTwoChunks();
    alone.read(tail);
    assert.deepEqual([alone.past, alone.given()], [[], tail], JSON.stringify(tail));
    const behind = betweenTwoChunks();
    behind.read(chunk("good").toString() + tail);
    assert.deepEqual([behind.past, behind.given()], [["good"], tail], JSON.stringify(tail));
    behind.read(chunk("later"));
    assert.deepEqual(behind.past, ["good"], "the parser does not stand between two chunks");
  }
});

test("a chunk that goes on in the next read leaves the parser in the middle of it", () => {
  const socket = new Duplex({ read: () => undefined });
  const bypass = createChunkBypass();
  const past: string[] = [];
  bypass.watch(socket);
  bypass.begin({ onChunk: (bytes) => past.push(bytes.toString()) }, 60_000);
  // Its data ends like a chunk does.
  const part = Buffer.from("a\r\nabcdef\r\n");
  socket.push(part);
  socket.read();
  bypass.passed(part.subarray(3, 11));
  socket.push(chunk("z"));
  assert.deepEqual(past, []);
});

test("a pause ends the way past the parser, with a piece to pause in that is not of the answer", () => {
  const within = betweenTwoChunks((bypass) => bypass.pause());
  within.read(Buffer.concat([chunk("second"), chunk("third")]));
  assert.deepEqual([within.past, within.given()], [["second"], "5\r\nthird\r\n"]);
  assert.equal(within.bypass.isOfAnswer(Buffer.from("third")), true);

  const last = betweenTwoChunks((bypass) => bypass.pause());
  last.read(chunk("second"));
  assert.deepEqual([last.past, last.given()], [["second"], "1\r\n.\r\n"]);
  assert.equal(last.bypass.isOfAnswer(Buffer.from(".")), false);
  assert.equal(last.bypass.isOfAnswer(Buffer.from(".")), true);

  const outside = betweenTwoChunks();
  outside.bypass.pause();
  assert.equal(outside.given(), "1\r\n.\r\n");
  assert.throws(() => outside.bypass.isOfAnswer(Buffer.from("answer")));
});

test("nothing goes past the parser before an answer in chunks begins, or after its end", () => {
  const { bypass, past, read, given } = betweenTwoChunks();
  bypass.end();
  read(chunk("second"));
  assert.deepEqual([past, given()], [[], "6\r\nsecond\r\n"]);
});

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

test("an answer that goes on past the parser is not taken for silence, and silence is", async () => {
  const going = await call(await ticking(30, 60, END), { idleMs: 400 });
  assert.deepEqual([going.end, going.body.toString()], ["end", ticks(60)]);
  const silent = await call(await ticking(10, 20, ""), { idleMs: 400 });
  assert.deepEqual([silent.end, silent.body.toString()], ["idle-timeout", ticks(20)]);
});

test("the clock of silence stands still while the exchange is paused past the parser", async () => {
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

test("a connection that closes, or goes on with nonsense, past the parser is no clean end", async () => {
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
