/**
 * Guarantee: answers that are ready together leave together, each whole and in one write, also where its connection has closed meanwhile or serves another answer yet.
 */
import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { test, type TestContext } from "node:test";
import { createLeaveTogether } from "./leave-together.ts";

const ASK = "GET / HTTP/1.1\r\nhost: x\r\n\r\n";

interface Scene {
  /** So many requests, over so many connections, whose answers are still to be given. */
  asked(connections: number, each?: number): Promise<ServerResponse[]>;
  /** What came over all connections, and in how many pieces. */
  received(): { readonly text: string; readonly pieces: number };
  readonly sockets: readonly Socket[];
}

async function scene(t: TestContext): Promise<Scene> {
  const responses: ServerResponse[] = [];
  const server = createServer((_request, response) => void responses.push(response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const sockets: Socket[] = [];
  let text = "";
  let pieces = 0;
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    sockets,
    received: () => ({ text, pieces }),
    async asked(connections, each = 1) {
      const { port } = server.address() as AddressInfo;
      for (let i = 0; i < connections; i++) {
        const socket = connect(port, "127.0.0.1", () => socket.write(ASK.repeat(each)));
        socket.on("data", (bytes: Buffer) => {
          text += bytes.toString("latin1");
          pieces += 1;
        });
        sockets.push(socket);
      }
      while (responses.length < connections * each) await turn();
      return responses;
    },
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function until(what: () => boolean): Promise<void> {
  while (!what()) await turn();
}

function written(response: ServerResponse, text: string): ServerResponse {
  return response.writeHead(200, { "content-length": text.length });
}

test("nothing leaves before the code under way is over; then each is whole, in one piece", async (t) => {
  const { asked, received } = await scene(t);
  const leaveTogether = createLeaveTogether();
  const left: ServerResponse[] = [];
  const responses = await asked(3);
  for (const [i, response] of responses.entries()) {
    const text = `answer ${i}`;
    leaveTogether(
      { response: written(response, text), left: () => void left.push(response) },
      text,
    );
  }
  assert.ok(responses.every(({ writableEnded }) => !writableEnded));
  assert.equal(left.length, 0);
  await until(() => /answer 0/.test(received().text) && /answer 2/.test(received().text));
  await until(() => received().pieces === 3);
  assert.equal(received().text.match(/HTTP\/1\.1 200/g)?.length, 3);
  assert.deepEqual(left, responses);
  assert.ok(responses.every(({ writableFinished }) => writableFinished));
});

test("what is ready later in the same turn leaves when that is over, and what comes after it at once", async (t) => {
  const { asked } = await scene(t);
  const leaveTogether = createLeaveTogether();
  const responses = await asked(4);
  const give = (from: number, to: number): void => {
    for (const response of responses.slice(from, to))
      leaveTogether({ response: written(response, "answer"), left: () => undefined }, "answer");
  };
  const ended = (): boolean[] => responses.map(({ writableEnded }) => writableEnded);
  const tick = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));
  give(0, 1);
  await tick();
  assert.deepEqual(ended(), [true, false, false, false]);
  give(1, 3);
  await tick();
  assert.deepEqual(ended(), [true, false, false, false]);
  await turn();
  assert.deepEqual(ended(), [true, true, true, false]);
  give(3, 4);
  await tick();
  assert.deepEqual(ended(), [true, true, true, true]);
});

test("one that is behind another answer of its connection follows it", async (t) => {
  const { asked, received } = await scene(t);
  const leaveTogether = createLeaveTogether();
  const [first, second] = await asked(1, 2);
  assert.ok(first !== undefined && second !== undefined && second.socket === null);
  for (const [response, text] of [
    [second, "the second"],
    [first, "the first"],
  ] as const)
    leaveTogether({ response: written(response, text), left: () => undefined }, text);
  await until(() => received().text.includes("the second"));
  assert.ok(received().text.indexOf("the first") < received().text.indexOf("the second"));
});

test("a connection that closes in between takes nothing from the others", async (t) => {
  const { asked, received } = await scene(t);
  const leaveTogether = createLeaveTogether();
  const [gone, stays] = await asked(2);
  assert.ok(gone !== undefined && stays !== undefined);
  gone.on("error", () => undefined);
  leaveTogether({ response: written(gone, "gone"), left: () => undefined }, "gone");
  leaveTogether({ response: written(stays, "stays"), left: () => undefined }, "stays");
  gone.socket?.destroy();
  await until(() => received().text.includes("stays"));
  assert.ok(!received().text.includes("gone"));
});
