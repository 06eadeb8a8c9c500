/**
 * Guarantees: a body that is handed over comes whole and in order, its request is over for Node as
 * any other, and a lost connection is heard of.
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { test, type TestContext } from "node:test";
import { until } from "../../test/support/until.ts";
import { ArrivingRequest, type BodyTaker } from "./arriving-request.ts";

interface Heard {
  readonly request: ArrivingRequest;
  text: string;
  over: "ended" | "lost" | null;
}

async function scene(t: TestContext, onHeard: (heard: Heard) => void = () => undefined) {
  const all: Heard[] = [];
  const server = createServer({ IncomingMessage: ArrivingRequest }, (request, response) => {
    const heard: Heard = { request, text: "", over: null };
    const taker: BodyTaker = {
      piece(bytes) {
        heard.text += bytes.toString("latin1");
        onHeard(heard);
      },
      end() {
        assert.ok(heard.over === null && request.complete);
        heard.over = "ended";
        response.end(heard.text);
      },
      lost() {
        assert.ok(heard.over === null && response.destroyed);
        heard.over = "lost";
      },
    };
    all.push(heard);
    assert.ok(request.handTo(taker));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const socket: Socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  let answers = "";
  socket.setEncoding("latin1").on("data", (part: string) => (answers += part));
  t.after(() => {
    socket.destroy();
    server.close();
  });
  return { all, socket, answers: () => answers };
}

const post = (body: string): string =>
  `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

test("bodies of one connection, whole, in pieces, in chunks, empty and one behind the other", async (t) => {
  const { all, socket, answers } = await scene(t);
  const chunked =
    "POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
  const sent = post("first") + post("") + chunked + post("x".repeat(100_000)) + post("last");
  for (let at = 0; at < sent.length; at += 30_000) {
    socket.write(sent.slice(at, at + 30_000));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await until("all answers", async () => answers().endsWith("last"));
  assert.deepEqual(
    all.map(({ text, over }) => [text.length, over]),
    [5, 0, 5, 100_000, 4].map((size) => [size, "ended"]),
  );
  assert.equal(all[2]?.text, "abcde");
  assert.ok(all.every(({ request }) => request.complete && !request.aborted));
});

test("a connection that is lost half-way is told once, after its answer knows", async (t) => {
  const { all, socket } = await scene(t);
  socket.write(post("0123456789").slice(0, -4));
  await until("a part", async () => all[0]?.text === "012345");
  socket.resetAndDestroy();
  await until("the loss", async () => all[0]?.over === "lost");
});

test("what comes after it was taken back goes into the stream", async (t) => {
  let rest = "";
  const { all, socket } = await scene(t, ({ request, text }) => {
    if (text.length < 3) return;
    request.takeBack();
    request.on("data", (bytes: Buffer) => (rest += bytes.toString("latin1")));
  });
  socket.write(post("0123456789").slice(0, -7));
  await until("a part", async () => all[0]?.text === "012");
  socket.write("3456789");
  await until("the rest", async () => rest === "3456789");
  assert.equal(all[0]?.over, null);
});

test("a body that has begun to come into the stream cannot be handed over", async (t) => {
  let taken: boolean | null = null;
  const server = createServer({ IncomingMessage: ArrivingRequest }, (request, response) => {
    setImmediate(() => {
      taken = request.handTo({
        piece: () => assert.fail(),
        end: () => assert.fail(),
        lost: () => assert.fail(),
      });
      request.resume().on("end", () => response.end());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  t.after(() => {
    socket.destroy();
    server.close();
  });
  socket.write(post("body"));
  await until("the answer", async () => taken !== null);
  assert.equal(taken, false);
});
