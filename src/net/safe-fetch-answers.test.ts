/**
 * Protects: whatever a server answers, a fetch ends in bounded time and bytes, with the right rule,
 * and lets go of all that it held.
 */
// Runs in a process of its own: it counts all timers of the process.
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { until } from "../../test/support/until.ts";
import { FetchRefusal } from "./fetch-refusal.ts";
import { answerOf, createPeers, type Answer } from "../../test/support/loopback-peers.ts";
import {
  createSafeFetch,
  type FetchedFile,
  type GetOptions,
  type SafeFetch,
} from "./safe-fetch.ts";

const peers = createPeers();
/** With the limits of production, so that a busy machine refuses nothing. */
let fetcher: SafeFetch;
let impatient: SafeFetch;
let timersBefore = 0;

const LIMITS = { headersMs: 400, idleMs: 400, windowMs: 600, minBytesPerSecond: 1000 };
const CALL: GetOptions = { maxBytes: 100_000, deadlineMs: 15_000 };
const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: image/png\r\n";

function timers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
}

before(() => {
  timersBefore = timers();
  fetcher = createSafeFetch({ allow: ["127.0.0.0/8"], limits: { headerBytes: 8 * 1024 } });
  impatient = createSafeFetch({ allow: ["127.0.0.0/8"], limits: LIMITS });
});
after(() => peers.close());

async function read(file: FetchedFile): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of file.body as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces).toString("latin1");
}

/** The body, or the rule that refused it; `late` when that was said after the headers. */
async function fetchFrom(
  answer: Answer | null,
  edit: Partial<GetOptions> = {},
  by = fetcher,
): Promise<string> {
  const peer = await peers.listen(answer);
  let file: FetchedFile | null = null;
  try {
    file = await by.get(`http://${peer.host}/file`, { ...CALL, ...edit });
    return await read(file);
  } catch (error) {
    if (!(error instanceof FetchRefusal)) throw error;
    assert.doesNotMatch(error.message, /\d{1,3}\.\d{1,3}\./, "the message tells an address");
    return `${file === null ? "" : "late "}${error.rule}`;
  } finally {
    await until("the connection is closed", async () => peer.open === 0);
  }
}

/** Goes on until the socket is gone. */
function every(ms: number, socket: Socket, write: () => void): void {
  const timer = setInterval(() => socket.writable && write(), ms);
  socket.once("close", () => clearInterval(timer));
}

function flood(socket: Socket): void {
  const piece = Buffer.alloc(64 * 1024, "x");
  function more(): void {
    while (socket.writable && socket.write(piece));
  }
  socket.on("drain", more);
  more();
}

test("what is whole and plain is handed over", async () => {
  assert.equal(await fetchFrom(answerOf(200, {}, "hello")), "hello");
  assert.equal(await fetchFrom(answerOf(200, { "content-length": "0" })), "");
  assert.equal(
    await fetchFrom(answerOf(200, { "content-encoding": "identity" }, "hello")),
    "hello",
  );
  assert.equal(
    await fetchFrom(answerOf(200, { "transfer-encoding": "chunked" }, "5\r\nhello\r\n0\r\n\r\n")),
    "hello",
  );
  assert.equal(
    await fetchFrom((socket) => socket.end("HTTP/1.0 200 OK\r\n\r\nuntil the end")),
    "until the end",
  );
  assert.equal(
    await fetchFrom((socket) =>
      socket.write(`HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${HEAD}content-length: 2\r\n\r\nhi`),
    ),
    "hi",
  );
  assert.equal(await fetchFrom(answerOf(200, {}, "x".repeat(100_000))), "x".repeat(100_000));
});

test("what the server claims is passed on as a claim", async () => {
  const peer = await peers.listen(answerOf(200, { "content-type": "image/png" }, "<html>"));
  const file = await fetcher.get(`http://${peer.host}/a%20b?c=%20#d`, CALL);
  assert.deepEqual(
    [file.url, file.contentType, file.declaredBytes],
    [`http://${peer.host}/a%20b?c=%20`, "image/png", 6],
  );
  assert.equal(await read(file), "<html>");
  assert.match(peer.requests[0]!, /^GET \/a%20b\?c=%20 HTTP\/1\.1\r\n/);
  const silent = await peers.listen((socket) =>
    socket.end("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"),
  );
  const bare = await fetcher.get(`http://${silent.host}/`, CALL);
  assert.deepEqual([bare.contentType, bare.declaredBytes], [null, null]);
  await read(bare);
});

test("one byte more than the cap is refused, and a larger length before its body", async () => {
  assert.equal(await fetchFrom(answerOf(200, {}, "x".repeat(100_001))), "too_large");
  assert.equal(
    await fetchFrom(
      answerOf(
        200,
        { "transfer-encoding": "chunked" },
        `${(100_001).toString(16)}\r\n${"x".repeat(100_001)}\r\n0\r\n\r\n`,
      ),
    ),
    "late too_large",
  );
});

test("an endless body costs no more than the cap and what the machine had buffered", async () => {
  const peer = await peers.listen((socket) => {
    socket.write(`${HEAD}\r\n`);
    flood(socket);
  });
  await assert.rejects(fetcher.get(`http://${peer.host}/`, CALL).then(read), { rule: "too_large" });
  await until("the connection is closed", async () => peer.open === 0);
  assert.ok(peer.bytesWritten < 20_000_000, `${peer.bytesWritten} bytes were taken`);
});

test("compressed answers are refused before a byte of them is unpacked", async () => {
  const bomb = gzipSync(Buffer.alloc(10_000_000)).toString("latin1");
  for (const encoding of [
    "gzip",
    "br",
    "deflate",
    "zstd",
    "GZIP",
    "identity, gzip",
    "x-whatever",
  ]) {
    assert.equal(
      await fetchFrom(
        answerOf(200, { "content-encoding": encoding, "content-length": "10" }, bomb.slice(0, 10)),
      ),
      "encoded_answer",
      encoding,
    );
  }
  assert.equal(
    await fetchFrom((socket) =>
      socket.end(
        `${HEAD}content-encoding: identity\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n\r\nhi`,
      ),
    ),
    "encoded_answer",
  );
  assert.equal(
    await fetchFrom(
      answerOf(200, { "transfer-encoding": "gzip, chunked" }, "2\r\nhi\r\n0\r\n\r\n"),
    ),
    "encoded_answer",
  );
});

test("statuses other than 200 are refused, a part of the file by its own rule", async () => {
  for (const status of [201, 203, 204, 205, 300, 304, 400, 401, 403, 404, 410, 416, 500, 503])
    assert.equal(await fetchFrom(answerOf(status)), "status", String(status));
  assert.equal(
    await fetchFrom(answerOf(206, { "content-range": "bytes 0-1/9" }, "hi")),
    "partial_answer",
  );
  for (const [status, transient] of [
    [404, false],
    [403, false],
    [429, true],
    [500, true],
    [503, true],
  ] as const) {
    const peer = await peers.listen(answerOf(status, {}, "the secret of the server"));
    await assert.rejects(fetcher.get(`http://${peer.host}/`, CALL), (error: FetchRefusal) => {
      assert.equal(error.transient, transient, String(status));
      assert.doesNotMatch(error.message, new RegExp(`secret|${status}`));
      return true;
    });
  }
});

test("lengths that lie, and bodies that break off, are never a clean end", async () => {
  assert.equal(await fetchFrom(answerOf(200, { "content-length": "10" }, "hello")), "late cut");
  assert.equal(await fetchFrom(answerOf(200, { "content-length": "2" }, "hello")), "he");
  assert.equal(
    await fetchFrom(answerOf(200, { "transfer-encoding": "chunked" }, "5\r\nhello\r\n")),
    "late cut",
  );
  assert.equal(
    await fetchFrom(answerOf(200, { "transfer-encoding": "chunked" }, "5\r\nhel")),
    "late cut",
  );
  assert.equal(
    await fetchFrom(answerOf(200, { "transfer-encoding": "chunked" }, "5\r\nhello\r\nzz\r\n")),
    "late bad_answer",
  );
  assert.equal(await fetchFrom(answerOf(200, { "content-length": "-1" }, "x")), "bad_answer");
  assert.equal(await fetchFrom(answerOf(200, { "content-length": "1x" }, "x")), "bad_answer");
  assert.equal(
    await fetchFrom((socket) =>
      socket.end(`${HEAD}content-length: 2\r\ncontent-length: 3\r\n\r\nabc`),
    ),
    "bad_answer",
  );
  assert.equal(
    await fetchFrom((socket) =>
      socket.end(`${HEAD}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`),
    ),
    "bad_answer",
  );
  const reset: Answer = (socket) => {
    socket.write(`${HEAD}\r\nhello`);
    setTimeout(() => socket.resetAndDestroy(), 50);
  };
  assert.equal(await fetchFrom(reset), "late cut");
});

test("what is no answer in HTTP", async () => {
  assert.equal(await fetchFrom((socket) => socket.end("SSH-2.0-OpenSSH_9.9\r\n")), "bad_answer");
  assert.equal(await fetchFrom((socket) => socket.end(`${HEAD}na me: x\r\n\r\n`)), "bad_answer");
  assert.equal(await fetchFrom((socket) => socket.end()), "no_answer");
  assert.equal(await fetchFrom((socket) => socket.resetAndDestroy()), "no_answer");
  assert.equal(await fetchFrom((socket) => socket.end(HEAD)), "no_answer");
  assert.equal(
    await fetchFrom((socket) =>
      socket.write("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
    ),
    "no_answer",
  );
});

test("headers that are too large or never end", async () => {
  assert.equal(
    await fetchFrom(answerOf(200, { "x-large": "a".repeat(8_500) })),
    "headers_too_large",
  );
  assert.equal(
    await fetchFrom(
      answerOf(
        200,
        Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`x-${at}`, "a".repeat(20)])),
      ),
    ),
    "headers_too_large",
  );
  assert.equal(
    await fetchFrom((socket) => (socket.write(`${HEAD}x-endless: `), flood(socket))),
    "headers_too_large",
  );
  assert.equal(
    await fetchFrom((socket) =>
      socket.end(
        `${HEAD}transfer-encoding: chunked\r\n\r\n0\r\n${"x-trailer: aaaaaaaaaaaaaaaa\r\n".repeat(2000)}\r\n`,
      ),
    ),
    "late headers_too_large",
  );
  assert.equal(await fetchFrom(null, {}, impatient), "headers_timeout");
  assert.equal(
    await fetchFrom((socket) => every(50, socket, () => socket.write("H"))),
    "bad_answer",
  );
  assert.equal(
    await fetchFrom(
      (socket) => (socket.write(HEAD), every(50, socket, () => socket.write("x-a: b\r\n"))),
      {},
      impatient,
    ),
    "headers_timeout",
  );
  assert.equal(
    await fetchFrom(
      (socket) => every(50, socket, () => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n")),
      {},
      impatient,
    ),
    "headers_timeout",
  );
});

test("bodies that stop, or drip", async () => {
  assert.equal(
    await fetchFrom(
      (socket) => socket.write(`${HEAD}content-length: 10\r\n\r\nhello`),
      {},
      impatient,
    ),
    "late idle_timeout",
  );
  const drip: Answer = (socket) => {
    socket.write(`${HEAD}content-length: 1000\r\n\r\n`);
    every(50, socket, () => socket.write("x"));
  };
  assert.equal(await fetchFrom(drip, {}, impatient), "late too_slow");
  assert.equal(await fetchFrom(drip, { deadlineMs: 300 }), "late deadline");
  const late: Answer = (socket) => {
    socket.write(`${HEAD}content-length: 100000\r\n\r\n`);
    socket.write("x".repeat(50_000));
    every(50, socket, () => socket.write("x"));
  };
  // A quick beginning buys no time for later.
  assert.equal(await fetchFrom(late, {}, impatient), "late too_slow");
  assert.equal(await fetchFrom(null, { deadlineMs: 200 }), "deadline");
});

test("a slow but steady server is not refused", async () => {
  const steady: Answer = (socket) => {
    socket.write(`${HEAD}content-length: 4000\r\n\r\n`);
    every(50, socket, () => socket.write("x".repeat(200)));
  };
  assert.equal((await fetchFrom(steady, {}, impatient)).length, 4000);
});

test("a reader that takes its time is not the server's fault", async () => {
  const bytes = 8_000_000;
  const peer = await peers.listen((socket) => {
    socket.write(`${HEAD}content-length: ${bytes}\r\n\r\n`);
    socket.end(Buffer.alloc(bytes, "x"));
  });
  const file = await impatient.get(`http://${peer.host}/`, { maxBytes: bytes, deadlineMs: 30_000 });
  let read = 0;
  let pauses = 0;
  for await (const piece of file.body as AsyncIterable<Buffer>) {
    read += piece.length;
    if (pauses < 2 && read > pauses * 3_000_000) {
      pauses += 1;
      assert.ok(file.body.readableLength < 1_000_000, "the memory is bounded while nobody reads");
      await new Promise((resolve) => setTimeout(resolve, LIMITS.windowMs + LIMITS.idleMs));
    }
  }
  assert.deepEqual([read, pauses], [bytes, 2]);
});

test("a server that stops is told from a reader that does, also after one that did", async () => {
  const peer = await peers.listen((socket) => {
    socket.write(`${HEAD}content-length: 9000000\r\n\r\n`);
    socket.write(Buffer.alloc(4_000_000, "x"));
  });
  const file = await impatient.get(`http://${peer.host}/`, {
    maxBytes: 9_000_000,
    deadlineMs: 30_000,
  });
  await until("nothing more is taken in", async () => file.body.readableLength > 200_000);
  const began = performance.now();
  await assert.rejects(read(file), { rule: /^(idle_timeout|too_slow)$/ });
  assert.ok(performance.now() - began < 5000);
});

test("a body that fails before it has a listener ends no process, and fails for the reader that comes then", async () => {
  const peer = await peers.listen(answerOf(200, { "content-length": "10" }, "hello"));
  const file = await fetcher.get(`http://${peer.host}/`, CALL);
  await until("the connection is closed", async () => peer.open === 0);
  await until("it has failed", async () => file.body.destroyed);
  await assert.rejects(read(file), { rule: "cut" });
});

test("no bytes of an answer, in whatever pieces they come, end the process or leave a fetch without an end", async () => {
  const token = fc.constantFrom(
    ...[
      "HTTP/1.1 200 OK",
      "HTTP/1.1 103 Early",
      "HTTP/1.1 302 Found",
      "HTTP/1.0 200",
      "\r\n",
      "\r\n\r\n",
      "\n",
      "content-length: 5",
      "content-length: 0",
    ],
    ...[
      "transfer-encoding: chunked",
      "connection: keep-alive",
      "connection: close",
      "location: /",
      "5\r\nhello\r\n",
      "0\r\n\r\n",
      "hello",
      "\0",
      ": ",
      "é",
    ],
  );
  let pieces: readonly string[] = [];
  const peer = await peers.listen((socket) => {
    const rest = [...pieces];
    every(1, socket, () => {
      const piece = rest.shift();
      if (piece === undefined) socket.end();
      else socket.write(Buffer.from(piece, "latin1"));
    });
  });
  const whole = fc
    .array(token, { maxLength: 6 })
    .map((tokens) => ["HTTP/1.1 200 OK\r\n", ...tokens]);
  await fc.assert(
    fc.asyncProperty(fc.oneof(whole, fc.array(token, { maxLength: 8 })), async (given) => {
      pieces = given;
      await fetcher
        .get(`http://${peer.host}/`, CALL)
        .then(read)
        .catch((error: unknown) => {
          if (!(error instanceof FetchRefusal)) throw error;
        });
    }),
    { numRuns: 200 },
  );
  await until("the connections are closed", async () => peer.open === 0);
});

test("nothing is left: no socket, no timer, no request to a name server", async () => {
  await until("all connections are closed", async () => peers.open() === 0);
  await peers.close();
  await fetcher.close();
  await until(
    "no socket is left",
    async () =>
      !process
        .getActiveResourcesInfo()
        .some((kind) => /TCPSocket|TLS|QueryReq|GetAddrInfo/.test(kind)),
  );
  assert.ok(timers() <= timersBefore, `${timers()} timers, ${timersBefore} at first`);
});
