/** Guarantee: an answer whose head is made here is byte for byte the one that Node would make. */
import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { createAnswerHeads, takeHead, writeWhole } from "./whole-answer.ts";

type Answer = (response: ServerResponse) => void;

/** What comes on one connection, to its end. */
async function answerTo(t: TestContext, request: string, answer: Answer): Promise<string> {
  const server = createServer((_request, response) => {
    answer(response);
    response.end();
  });
  server.keepAliveTimeout = 5_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").setEncoding("latin1");
  t.after(() => {
    socket.destroy();
    server.close();
  });
  socket.write(request);
  let text = "";
  for await (const part of socket as AsyncIterable<string>) {
    text += part;
    if (text.endsWith("body")) break;
  }
  return text;
}

const heads = createAnswerHeads();
const HEAD = ["x-request-id", "ID", "content-type", "text/pläin", "content-length", "4"];

test("a connection that stays open, one that closes, and one of HTTP/1.0 get the head that Node makes", async (t) => {
  for (const [request, status, head] of [
    ["POST / HTTP/1.1\r\nhost: x\r\n\r\n", 200, HEAD],
    ["POST / HTTP/1.1\r\nhost: x\r\n\r\n", 201, HEAD],
    ["POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n", 200, HEAD],
    ["POST / HTTP/1.1\r\nhost: x\r\n\r\n", 200, [...HEAD, "connection", "close"]],
    ["POST / HTTP/1.0\r\n\r\n", 200, HEAD],
    ["POST / HTTP/1.0\r\nconnection: keep-alive\r\n\r\n", 200, HEAD],
    ["POST / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\n\r\n", 200, HEAD],
  ] as const) {
    const nodes = await answerTo(t, request, (response) => {
      response.writeHead(status, [...head]);
      response.write("body", "latin1");
    });
    const ours = await answerTo(t, request, (response) => {
      heads.put(response, status, [...head]);
      writeWhole(response, "body");
    });
    const dateless = (text: string): string => text.replace(/Date: .* GMT/, "Date: some day");
    assert.equal(dateless(ours), dateless(nodes), request);
    assert.match(ours, /Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n/);
  }
});

test("the head of a body in chunks is Node's, too, and goes with the first of them", async (t) => {
  for (const request of [
    "POST / HTTP/1.1\r\nhost: x\r\n\r\n",
    "POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
    "POST / HTTP/1.0\r\n\r\n",
    "POST / HTTP/1.0\r\nconnection: keep-alive\r\n\r\n",
    "POST / HTTP/1.0\r\nconnection: keep-alive\r\nte: chunked\r\n\r\n",
  ]) {
    /** The chunks are not Node's to frame: whether it would is in the body. */
    const answerOf = (put: (response: ServerResponse, head: string[]) => void): Promise<string> =>
      answerTo(t, request, (response) => {
        put(response, HEAD.slice(0, -2));
        const isChunked = response.chunkedEncoding;
        response.chunkedEncoding = false;
        response.socket?.write(`${takeHead(response)}${isChunked} body`, "latin1");
        assert.equal(takeHead(response), "");
      });
    const nodes = await answerOf((response, head) => response.writeHead(200, head));
    const ours = await answerOf((response, head) => heads.putForChunks(response, head));
    const dateless = (text: string): string => text.replace(/Date: .* GMT/, "Date: some day");
    assert.equal(dateless(ours), dateless(nodes), request);
  }
});

test("the date follows the clock", async (t) => {
  let nowMs = Date.UTC(2026, 0, 2, 3, 4, 5, 999);
  const { put } = createAnswerHeads(() => nowMs);
  for (const second of ["05", "06"]) {
    const text = await answerTo(t, "POST / HTTP/1.1\r\nhost: x\r\n\r\n", (response) => {
      put(response, 200, [...HEAD]);
      writeWhole(response, "body");
    });
    assert.ok(text.includes(`Date: Fri, 02 Jan 2026 03:04:${second} GMT\r\n`), text);
    nowMs += 1;
  }
});

test("a value that would end its line is refused as Node refuses it", async (t) => {
  for (const value of ["a\r\nx: y", "a\nb", "a\0", "Ж"])
    await answerTo(t, "POST / HTTP/1.1\r\nhost: x\r\n\r\n", (response) => {
      assert.throws(() => heads.put(response, 200, [...HEAD, "x-other", value]), {
        code: "ERR_INVALID_CHAR",
      });
      heads.put(response, 200, [...HEAD]);
      writeWhole(response, "body");
    });
});
