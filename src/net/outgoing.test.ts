/**
 * Protects: whatever a peer does, the sink hears exactly one end, of the right kind, and the pool
 * stays usable.
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo, Server, Socket } from "node:net";
import { createServer as createTcpServer } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { after, test } from "node:test";
import { LOOPBACK_PEM } from "../../test/support/loopback-identity.ts";
import type { Exchange, OutgoingRequest } from "./outgoing.ts";
import { createOutgoing } from "./outgoing.ts";

const outgoing = createOutgoing();
const servers: Server[] = [];
after(async () => {
  await outgoing.close();
  for (const server of servers) server.close();
});

async function listen(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/**
 * A peer that does exactly what the test says with each connection, once the request has arrived.
 */
function rawPeer(answer: (socket: Socket) => void): Promise<string> {
  return listen(
    createTcpServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => answer(socket));
    }),
  );
}

interface Heard {
  status: number;
  body: string;
  ends: string[];
}

function call(
  origin: string,
  edit: Partial<OutgoingRequest> = {},
  onStart?: (exchange: Exchange, heard: Heard) => void,
): Promise<Heard> {
  const { promise, resolve } = Promise.withResolvers<Heard>();
  const heard: Heard = { status: 0, body: "", ends: [] };
  function end(kind: string): void {
    heard.ends.push(kind);
    // A second end would be heard before this.
    setTimeout(() => resolve(heard), 20);
  }
  const exchange = outgoing.send(
    {
      origin,
      path: "/x",
      method: "POST",
      headers: { "content-type": "application/json" },
      body: Buffer.from("{}"),
      connectTimeoutMs: 2000,
      firstByteTimeoutMs: 400,
      idleTimeoutMs: 400,
      ...edit,
    },
    {
      onHeaders(status) {
        heard.status = status;
        onStart?.(exchange, heard);
      },
      onData(chunk) {
        heard.body += chunk.toString();
      },
      onEnd: () => end("end"),
      onError: (error) => end(error.kind),
    },
  );
  return promise;
}

const HEAD = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";

test("a whole answer ends once", async () => {
  const origin = await listen(createServer((_request, response) => response.end("hello")));
  assert.deepEqual(await call(origin), { status: 200, body: "hello", ends: ["end"] });
});

test("a refused connection is `connect`: nothing was sent", async () => {
  assert.deepEqual((await call("http://127.0.0.1:1")).ends, ["connect"]);
});

test("a peer that hangs up before its headers is `closed`", async () => {
  assert.deepEqual((await call(await rawPeer((socket) => socket.destroy()))).ends, ["closed"]);
});

test("a peer that says nothing is `first-byte-timeout`", async () => {
  assert.deepEqual((await call(await rawPeer(() => undefined))).ends, ["first-byte-timeout"]);
});

test("silence inside a body is `idle-timeout`", async () => {
  const origin = await rawPeer((socket) => socket.write(`${HEAD}2\r\nhi\r\n`));
  assert.deepEqual(await call(origin), { status: 200, body: "hi", ends: ["idle-timeout"] });
});

test("a body cut in the middle is `closed`, never a clean end", async () => {
  const origin = await rawPeer((socket) => socket.end(`${HEAD}2\r\nhi\r\n`));
  assert.deepEqual(await call(origin), { status: 200, body: "hi", ends: ["closed"] });
});

test("bytes that are not HTTP are `protocol`", async () => {
  assert.deepEqual((await call(await rawPeer((socket) => socket.end("SSH-2.0-x\r\n")))).ends, [
    "protocol",
  ]);
});

test("an abort is heard as `aborted`, once, and closes the connection", async () => {
  const closed = Promise.withResolvers<void>();
  const origin = await rawPeer((socket) => {
    socket.once("close", () => closed.resolve());
    socket.write(`${HEAD}2\r\nhi\r\n`);
  });
  const heard = await call(origin, {}, (exchange) => {
    exchange.abort();
    exchange.abort();
  });
  assert.deepEqual(heard.ends, ["aborted"]);
  await closed.promise;
});

test("a sink that throws ends its own exchange and no other", async () => {
  const origin = await listen(createServer((_request, response) => response.end("hello")));
  const broken = call(origin, {}, () => {
    throw new Error("the sink is broken");
  });
  assert.deepEqual((await broken).ends.length, 1);
  assert.deepEqual((await call(origin)).ends, ["end"]);
});

test("a header that cannot be sent fails the exchange after `send` has returned", async () => {
  const heard = await call("http://127.0.0.1:1", { headers: { "x-bad": "a\r\nb" } });
  assert.equal(heard.ends.length, 1);
});

test("an error says whether anything of the request left us, whatever its kind", async () => {
  async function sentTo(
    origin: string,
    edit: Partial<OutgoingRequest> = {},
    onStart?: (exchange: Exchange) => void,
  ): Promise<boolean> {
    const failed = Promise.withResolvers<boolean>();
    const exchange = outgoing.send(
      {
        origin,
        path: "/x",
        method: "PUT",
        headers: {},
        body: Buffer.from("{}"),
        connectTimeoutMs: 2000,
        firstByteTimeoutMs: 400,
        idleTimeoutMs: 400,
        ...edit,
      },
      {
        onHeaders: () => undefined,
        onData: () => undefined,
        onEnd: () => failed.reject(new Error("it did not fail")),
        onError: (error) => failed.resolve(error.sent),
      },
    );
    onStart?.(exchange);
    return failed.promise;
  }
  const plain = await listen(
    createTcpServer((socket) =>
      socket.on("error", () => undefined).once("data", () => socket.destroy()),
    ),
  );
  const secure = createTlsServer({ key: LOOPBACK_PEM, cert: LOOPBACK_PEM }, (socket) =>
    socket.destroy(),
  );
  const untrusted = (await listen(secure)).replace("http:", "https:");

  assert.equal(await sentTo("http://127.0.0.1:1"), false, "refused");
  assert.equal(await sentTo("http://nothing.invalid"), false, "no such name");
  assert.equal(await sentTo(untrusted), false, "a certificate that is not trusted");
  assert.equal(
    await sentTo(plain.replace("http:", "https:")),
    false,
    "cut within the TLS handshake: `closed`, and yet nothing was sent",
  );
  assert.equal(
    await sentTo(plain, { headers: { "x-bad": "a\r\nb" } }),
    false,
    "not to be sent at all",
  );
  assert.equal(
    await sentTo(plain, {}, (exchange) => exchange.abort()),
    false,
    "aborted before there was a connection",
  );
  assert.equal(await sentTo(plain), true, "cut after the request");
  assert.equal(await sentTo(await rawPeer(() => undefined)), true, "no answer");
  assert.equal(await sentTo(await rawPeer((socket) => socket.resetAndDestroy())), true, "reset");
});
