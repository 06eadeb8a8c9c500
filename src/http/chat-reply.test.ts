/**
 * Guarantees of the reply: what the client gets is one proper HTTP answer after the other on one
 * connection, and a broken stream looks broken.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { test } from "node:test";
import type { TestContext } from "node:test";
import fc from "fast-check";
import { Client } from "undici";
import { rawHttp } from "../../test/support/raw-http.ts";
import { createChatReply, createReplyManner } from "./chat-reply.ts";
import type { HttpReply } from "./chat-reply.ts";

type Answer = (reply: HttpReply, request: IncomingMessage, response: ServerResponse) => void;

/** A server whose answers are made by `answer`; every one carries `x-request-id: ID`. */
async function serving(t: TestContext, answer: Answer): Promise<number> {
  const manner = createReplyManner((standing) => ({
    "x-left": String(standing.concurrent?.remaining),
  }));
  const server = createServer((request, response) => {
    request.resume();
    const reply = createChatReply(response, ["x-request-id", "ID"], manner);
    answer(reply, request, response);
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function ask(path = "/", version = "1.1", headers = ""): string {
  return `POST ${path} HTTP/${version}\r\nhost: x\r\ncontent-length: 0\r\n${headers}\r\n`;
}

interface Parsed {
  readonly head: string;
  readonly body: Buffer;
  /** The sizes of its chunks; null where it has none. */
  readonly chunks: readonly number[] | null;
}

/** Reads as many whole answers as there are; throws where one is not HTTP, or not whole. */
function readAnswers(text: string): Parsed[] {
  const answers: Parsed[] = [];
  let rest = text;
  while (rest !== "") {
    const headEnd = rest.indexOf("\r\n\r\n");
    assert.ok(
      headEnd > 0 && rest.startsWith("HTTP/1.1 "),
      `no head: ${JSON.stringify(rest.slice(0, 80))}`,
    );
    const head = rest.slice(0, headEnd).toLowerCase();
    rest = rest.slice(headEnd + 4);
    const length = /\ncontent-length: (\d+)/.exec(head)?.[1];
    if (length !== undefined) {
      assert.ok(rest.length >= Number(length), "not whole");
      answers.push({
        head,
        body: Buffer.from(rest.slice(0, Number(length)), "latin1"),
        chunks: null,
      });
      rest = rest.slice(Number(length));
      continue;
    }
    assert.match(head, /\ntransfer-encoding: chunked/);
    const chunks: number[] = [];
    let body = "";
    for (;;) {
      const size = /^([0-9a-f]+)\r\n/.exec(rest);
      assert.ok(size?.[1] !== undefined, `no chunk: ${JSON.stringify(rest.slice(0, 80))}`);
      const bytes = Number.parseInt(size[1], 16);
      rest = rest.slice(size[0].length);
      assert.equal(rest.slice(bytes, bytes + 2), "\r\n");
      body += rest.slice(0, bytes);
      rest = rest.slice(bytes + 2);
      if (bytes === 0) break;
      chunks.push(bytes);
    }
    answers.push({ head, body: Buffer.from(body, "latin1"), chunks });
  }
  return answers;
}

/**
 * What is answered on one connection, read until it is whole: to each request when the answer before
 * it is, or to all at once.
 */
async function answersTo(
  port: number,
  requests: readonly string[],
  pipelined: boolean,
): Promise<Parsed[]> {
  const socket = connect(port, "127.0.0.1").setEncoding("latin1");
  const turns = pipelined ? [requests.join("")] : requests;
  let text = "";
  for (const [i, turn] of turns.entries()) {
    socket.write(turn);
    const wanted = pipelined ? requests.length : i + 1;
    for (;;) {
      const [part] = (await once(socket, "data")) as [string];
      text += part;
      try {
        if (readAnswers(text).length >= wanted) break;
      } catch {
        // Not whole yet.
      }
    }
  }
  socket.destroy();
  return readAnswers(text);
}

const BODIES = [0, 1, 4_095, 4_096, 4_097, 70_000, 1_000_000].map((length) =>
  Buffer.from(Array.from({ length }, (_, i) => (i * 7 + length) % 256)),
);

test("a whole answer is there byte for byte, whatever its size and bytes, and the connection goes on", async (t) => {
  const port = await serving(t, (reply, request) =>
    reply.json(
      200,
      { "content-type": "application/json", "x-tollgate-cost": "1" },
      BODIES[Number(request.url?.slice(1))] ?? Buffer.alloc(0),
    ),
  );
  const requests = BODIES.map((_, i) => ask(`/${i}`));
  for (const answers of [
    await answersTo(port, requests, false),
    await answersTo(port, requests, true),
  ]) {
    assert.equal(answers.length, BODIES.length);
    for (const [i, { head, body }] of answers.entries()) {
      assert.ok(body.equals(BODIES[i] ?? Buffer.alloc(0)));
      assert.match(
        head,
        /^http\/1\.1 200 ok\r\nx-request-id: id\r\ncontent-type: application\/json\r\nx-tollgate-cost: 1\r\ncontent-length: /,
      );
      assert.match(head, /\nconnection: keep-alive/);
    }
  }
});

test("a whole answer that was prepared is the same, is not sent before it is given, and yields to what is said later", async (t) => {
  const headers = { "content-type": "application/json", "x-tollgate-cost": "1" };
  const port = await serving(t, (reply, request, response) => {
    const [, what, size] = request.url?.split("/") ?? [];
    const body = BODIES[Number(size)] ?? Buffer.alloc(0);
    if (what !== "plain") reply.prepare?.(headers, body);
    if (what === "noted") reply.note("x-later", "1");
    setTimeout(() => {
      assert.ok(!response.headersSent);
      if (what === "other") reply.json(200, { ...headers, "x-tollgate-cost": "2" }, body);
      else if (what === "refused") reply.refuse({ status: 503, headers: {}, body: "no" });
      else reply.json(200, headers, body);
    }, 2);
  });
  const to = async (what: string, size: number) => {
    const [answer] = await answersTo(port, [ask(`/${what}/${size}`)], false);
    return { head: answer?.head.replace(/date: .* gmt/, "date"), body: String(answer?.body) };
  };
  for (const size of BODIES.keys())
    assert.deepEqual(await to("prepared", size), await to("plain", size));
  const { head, body } = await to("plain", 2);
  const changed = (from: string, into: string) => ({ head: head?.replace(from, into), body });
  assert.deepEqual(await to("other", 2), changed("x-tollgate-cost: 1", "x-tollgate-cost: 2"));
  assert.deepEqual(
    await to("noted", 2),
    changed("x-request-id: id\r\n", "x-request-id: id\r\nx-later: 1\r\n"),
  );
  const refused = await to("refused", 2);
  assert.equal(refused.body, "no");
  assert.ok(!refused.head?.includes("x-tollgate-cost"));
});

test("a stream's bytes arrive as they were written, one chunk for each, and the connection goes on", async (t) => {
  const scripts: Buffer[][] = [];
  const port = await serving(t, (reply, request) => {
    const pieces = scripts[Number(request.url?.slice(1))] ?? [];
    reply.startStream({ "idempotent-replayed": "true" });
    let i = 0;
    function next(): void {
      if (i < pieces.length - 1) {
        reply.write(pieces[i++] ?? Buffer.alloc(0));
        // Now and then several in one turn.
        if (i % 3 === 0) next();
        else setImmediate(next);
      } else reply.end(pieces[i] ?? null);
    }
    next();
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 6 }), {
        minLength: 1,
        maxLength: 4,
      }),
      fc.boolean(),
      async (streams, pipelined) => {
        scripts.splice(
          0,
          scripts.length,
          ...streams.map((pieces) => pieces.map((bytes) => Buffer.from(bytes))),
        );
        const requests = scripts.map((_, i) => ask(`/${i}`));
        const answers = await answersTo(port, requests, pipelined);
        assert.equal(answers.length, scripts.length);
        for (const [i, { head, body, chunks }] of answers.entries()) {
          assert.ok(body.equals(Buffer.concat(scripts[i] ?? [])));
          assert.deepEqual(
            chunks,
            scripts[i]?.map((piece) => piece.length).filter((length) => length > 0),
          );
          assert.match(
            head,
            /\nx-request-id: id\r\ncontent-type: text\/event-stream; charset=utf-8\r\n/,
          );
          assert.match(head, /\nidempotent-replayed: true/);
        }
      },
    ),
    { numRuns: 40 },
  );
});

test("undici reads one stream after the other on one connection", async (t) => {
  const sockets = new Set<unknown>();
  const port = await serving(t, (reply, request) => {
    sockets.add(request.socket);
    reply.startStream();
    reply.write(Buffer.from(`data: ${request.url}\n\n`));
    setImmediate(() => reply.end(Buffer.from("data: [DONE]\n\n")));
  });
  const client = new Client(`http://127.0.0.1:${port}`);
  t.after(() => client.close());
  for (let i = 0; i < 20; i++) {
    const { body } = await client.request({ method: "POST", path: `/${i}` });
    assert.equal(await body.text(), `data: /${i}\n\ndata: [DONE]\n\n`);
  }
  assert.equal(sockets.size, 1);
});

test("each piece of a stream is one write to the socket, its end too, and what a turn writes behind its first goes out together", async (t) => {
  const writes: number[] = [];
  const over = Promise.withResolvers<void>();
  const port = await serving(t, (reply, request) => {
    // The only way to see writes before the kernel joins them.
    const handle = (
      request.socket as unknown as { _handle: Record<string, (...parts: unknown[]) => unknown> }
    )._handle;
    for (const name of ["writev", "writeBuffer", "writeLatin1String", "writeUtf8String"]) {
      const original = handle[name];
      handle[name] = (...parts: unknown[]) => {
        writes.push(name === "writev" ? (parts[1] as unknown[]).length : 1);
        return original?.apply(handle, parts);
      };
    }
    reply.startStream();
    reply.write(Buffer.from("one"));
    setImmediate(() => {
      writes.length = 0;
      reply.write(Buffer.from("two"));
      setImmediate(() => {
        assert.deepEqual(writes, [1]);
        for (const piece of ["three", "four", "five", "six"]) reply.write(Buffer.from(piece));
        setImmediate(() => {
          assert.deepEqual(writes, [1, 1, 3]);
          reply.end(Buffer.from("seven"));
          assert.deepEqual(writes, [1, 1, 3, 1]);
          over.resolve();
        });
      });
    });
  });
  const [answer] = readAnswers((await rawHttp(port, ask())).text);
  await over.promise;
  assert.equal(String(answer?.body), "onetwothreefourfivesixseven");
});

test("a caller of HTTP/1.0 gets no chunks, unless it says that it knows them", async (t) => {
  const port = await serving(t, (reply) => {
    reply.startStream();
    reply.write(Buffer.from("one"));
    setImmediate(() => reply.end(Buffer.from("two")));
  });
  const plain = await rawHttp(port, ask("/", "1.0", "connection: keep-alive\r\n"));
  assert.doesNotMatch(plain.text, /transfer-encoding/i);
  assert.match(plain.text, /\r\n\r\nonetwo$/);
  const [chunked] = readAnswers((await rawHttp(port, ask("/", "1.0", "te: chunked\r\n"))).text);
  assert.equal(String(chunked?.body), "onetwo");
});

test("a stream that is broken off is not whole for anybody, whether it had last bytes or not", async (t) => {
  const port = await serving(t, (reply, request) => {
    reply.startStream();
    reply.write(Buffer.from("data: 1\n\n"));
    setImmediate(() =>
      reply.breakOff(request.url === "/words" ? Buffer.from("data: error\n\n") : null),
    );
  });
  for (const [path, text] of [
    ["/words", "9\r\ndata: 1\n\n\r\nd\r\ndata: error\n\n\r\n"],
    ["/silent", "9\r\ndata: 1\n\n\r\n"],
  ] as const) {
    const answer = await rawHttp(port, ask(path), 5_000);
    assert.equal(
      answer.text.split("\r\n\r\n").slice(1).join("\r\n\r\n"),
      text,
      "closed at once, and without the last chunk",
    );
    await assert.rejects(async () =>
      (await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST" })).text(),
    );
  }
});

test("a stream that is broken off behind another on its connection leaves that one whole", async (t) => {
  const port = await serving(t, (reply, request) => {
    reply.startStream();
    reply.write(Buffer.from(request.url ?? ""));
    if (request.url === "/first") setTimeout(() => reply.end(Buffer.from("whole")), 50);
    else reply.breakOff(request.url === "/words" ? Buffer.from("error") : null);
  });
  for (const [path, last] of [
    ["/words", "5\r\nerror\r\n"],
    ["/silent", ""],
  ] as const) {
    const { text } = await rawHttp(port, ask("/first") + ask(path), 5_000);
    assert.ok(text.includes("\r\n\r\n6\r\n/first\r\n5\r\nwhole\r\n0\r\n\r\nHTTP/1.1 200"), text);
    assert.ok(text.endsWith(`\r\n${path}\r\n${last}`), text);
  }
});

test("a slow reader makes write say no, and drain is told once it has read; nothing is lost", async (t) => {
  const piece = Buffer.alloc(64 * 1024, "x");
  let refusals = 0;
  let drains = 0;
  const port = await serving(t, (reply) => {
    reply.startStream();
    let left = 200;
    function next(): void {
      while (left > 0) {
        left -= 1;
        if (reply.write(piece)) continue;
        refusals += 1;
        reply.onDrain(() => {
          drains += 1;
          next();
        });
        return;
      }
      reply.end(null);
    }
    next();
  });
  for (const requests of [ask(), ask() + ask()]) {
    refusals = 0;
    drains = 0;
    const socket = connect(port, "127.0.0.1").setEncoding("latin1");
    socket.write(requests);
    socket.pause();
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.ok(refusals > 0);
    assert.equal(drains, refusals - (requests === ask() ? 1 : 2));
    const parts: string[] = [];
    const expected = (requests.split("POST").length - 1) * 200 * piece.length;
    let bytes = 0;
    const whole = Promise.withResolvers<void>();
    socket.on("data", (part) => {
      parts.push(String(part));
      bytes += String(part).length;
      if (bytes > expected && parts.slice(-3).join("").endsWith("\r\n0\r\n\r\n")) whole.resolve();
    });
    socket.resume();
    await whole.promise;
    socket.destroy();
    const answers = readAnswers(parts.join(""));
    assert.equal(
      answers.reduce((sum, { body }) => sum + body.length, 0),
      expected,
    );
    assert.equal(drains, refusals);
  }
});

test("a listener hears once that the client has gone, also one that comes late; after an answer that is out none is told", async (t) => {
  const heard: string[] = [];
  const closed = Promise.withResolvers<void>();
  const port = await serving(t, (reply, request, response) => {
    if (request.url === "/answered") {
      reply.onGone(() => heard.push("answered"));
      reply.json(200, {}, Buffer.from("{}"));
      return;
    }
    reply.onGone(() => heard.push("one"));
    reply.onGone(() => heard.push("two"));
    reply.startStream();
    reply.write(Buffer.from("x"));
    response.on("close", () => {
      assert.equal(reply.gone, true);
      reply.onGone(() => heard.push("late"));
      assert.equal(reply.write(Buffer.from("x")), true);
      reply.end(null);
      reply.breakOff(null);
      closed.resolve();
    });
  });
  await answersTo(port, [ask("/answered")], false);
  await rawHttp(port, ask("/leaves"), 20);
  await closed.promise;
  assert.deepEqual(heard, ["one", "two", "late"]);
});

test("a refusal has the headers of every answer and the caller's standing, each once; the refusal's own word counts", async (t) => {
  const port = await serving(t, (reply) => {
    const standing = (remaining: number) => ({
      at: new Date(),
      requests: null,
      tokens: null,
      concurrent: { limit: 9, remaining },
    });
    reply.showStanding(standing(5));
    reply.showStanding(standing(4));
    reply.refuse({
      status: 402,
      headers: { "content-type": "application/json", "x-left": "3" },
      body: '{"é":1}',
    });
  });
  const [answer] = await answersTo(port, [ask()], false);
  assert.match(
    answer?.head ?? "",
    /^http\/1\.1 402 payment required\r\nx-request-id: id\r\nx-left: 3\r\ncontent-type: application\/json\r\ncontent-length: 8\r\n/,
  );
  assert.equal(String(answer?.body), '{"é":1}');
});
