/** The fault proxy spoils exactly what it is told to, and the same seed spoils it the same way. */
import assert from "node:assert/strict";
import { connect, createServer, type AddressInfo } from "node:net";
import { test } from "node:test";
import { startTcpFaultProxy, type TcpFaultProxy, type Toxics } from "./tcp-fault-proxy.ts";

const MESSAGE = Buffer.from("Привет, мир! 👋 ".repeat(20));

interface Talk {
  readonly bytes: Buffer;
  readonly pieces: readonly number[];
  readonly error: string | null;
}

/** A server that answers every connection's first bytes with MESSAGE and ends, behind a proxy. */
async function withProxy(
  toxics: Toxics,
  seed: number,
  work: (proxy: TcpFaultProxy, received: Buffer[]) => Promise<void>,
): Promise<void> {
  const received: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (piece: Buffer) => received.push(piece));
    socket.once("data", () => socket.end(MESSAGE));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const proxy = await startTcpFaultProxy({
    target: { host: "127.0.0.1", port: (server.address() as AddressInfo).port },
    seed,
    toxics,
  });
  try {
    await work(proxy, received);
  } finally {
    await proxy.close();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** Says hello and listens until the connection closes, or until `enough` bytes came. */
function talk(proxy: TcpFaultProxy, enough = Infinity): Promise<Talk> {
  const { promise, resolve } = Promise.withResolvers<Talk>();
  const pieces: Buffer[] = [];
  let error: string | null = null;
  const socket = connect(proxy.port, "127.0.0.1", () => socket.write("hello"));
  socket.on("data", (piece: Buffer) => {
    pieces.push(piece);
    if (Buffer.concat(pieces).length >= enough) socket.destroy();
  });
  socket.on("error", (cause: NodeJS.ErrnoException) => (error = cause.code ?? "error"));
  socket.on("close", () =>
    resolve({ bytes: Buffer.concat(pieces), pieces: pieces.map((piece) => piece.length), error }),
  );
  return promise;
}

test("without toxics, and with those that only slow down, the bytes arrive whole", async () => {
  for (const toxics of [
    {},
    { down: [{ kind: "latency", ms: 1, jitterMs: 3 }] },
    {
      up: [{ kind: "bandwidth", bytesPerSecond: 10_000 }],
      down: [{ kind: "slicer", maxBytes: 7 }],
    },
    { down: [{ kind: "slow-close", ms: 5 }] },
  ] satisfies Toxics[]) {
    await withProxy(toxics, 1, async (proxy, received) => {
      const { bytes, error } = await talk(proxy);
      assert.deepEqual([bytes, error], [MESSAGE, null]);
      assert.equal(Buffer.concat(received).toString(), "hello");
    });
  }
});

test("limit-data ends and reset-peer breaks the connection after exactly so many bytes", async () => {
  for (const bytes of [0, 1, 100]) {
    await withProxy(
      {
        down: [
          { kind: "slicer", maxBytes: 9 },
          { kind: "limit-data", bytes },
        ],
      },
      1,
      async (proxy) => {
        const got = await talk(proxy);
        assert.deepEqual([got.bytes, got.error], [MESSAGE.subarray(0, bytes), null]);
      },
    );
    await withProxy({ down: [{ kind: "reset-peer", bytes }] }, 1, async (proxy) => {
      const got = await talk(proxy);
      assert.ok(got.bytes.length <= bytes);
      assert.equal(got.error, "ECONNRESET");
    });
  }
});

test("timeout swallows the rest and keeps the connection open until it is cut", async () => {
  await withProxy(
    {
      down: [
        { kind: "slicer", maxBytes: 4 },
        { kind: "timeout", bytes: 10 },
      ],
    },
    1,
    async (proxy) => {
      const talking = talk(proxy);
      assert.equal(
        await Promise.race([talking, new Promise((resolve) => setTimeout(resolve, 50, "silent"))]),
        "silent",
      );
      proxy.cut();
      assert.deepEqual((await talking).bytes, MESSAGE.subarray(0, 10));
    },
  );
});

test("garbage and duplicates are put in, the same for the same seed and connection", async () => {
  const toxics: Toxics = {
    down: [
      { kind: "garbage", at: 5, bytes: 4 },
      { kind: "duplicate", probability: 1 },
    ],
  };
  const spoiled = async (seed: number): Promise<Buffer> => {
    let bytes: Buffer = Buffer.alloc(0);
    await withProxy(toxics, seed, async (proxy) => void (bytes = (await talk(proxy)).bytes));
    return bytes;
  };
  const first = await spoiled(7);
  assert.equal(first.length, 2 * (MESSAGE.length + 4));
  assert.deepEqual(
    first.subarray(0, 10),
    Buffer.concat([MESSAGE.subarray(0, 5), MESSAGE.subarray(0, 5)]),
  );
  assert.deepEqual(await spoiled(7), first);
  assert.notDeepEqual(await spoiled(8), first);
});

test("new toxics hold for new connections", async () => {
  await withProxy({}, 1, async (proxy) => {
    assert.equal((await talk(proxy)).bytes.length, MESSAGE.length);
    proxy.setToxics({ down: [{ kind: "limit-data", bytes: 3 }] });
    assert.equal((await talk(proxy)).bytes.length, 3);
    assert.equal(proxy.connections, 2);
  });
});
