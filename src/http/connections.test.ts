/**
 * Protects the count of open connections, by which a process tells whether its callers can be too
 * many; and that one on which nothing is asked does not stay for ever.
 */
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../../test/support/until.ts";
import { systemClock } from "../kernel/clock.ts";
import { Fault } from "../kernel/faults.ts";
import { createClientAddress } from "./client-address.ts";
import { createNodeServer, type NodeServerDeps } from "./node-server.ts";
import { TIMEOUTS } from "./server-timeouts.ts";

async function opened(t: TestContext, deps: Partial<NodeServerDeps> = {}) {
  const server = await createNodeServer({
    routes: [],
    rawRoutes: new Map(),
    authenticate: () => Promise.reject(new Fault("invalid_api_key")),
    authenticateMember: () => Promise.reject(new Fault("session_required")),
    origin: () => "http://127.0.0.1",
    clientAddress: createClientAddress([]),
    onRequestDone: () => undefined,
    clock: systemClock,
    ...deps,
  });
  t.after(() => server.close(0));
  return { server, port: await server.listen({ host: "127.0.0.1", port: 0 }) };
}

test("open connections are counted until they are closed, by whichever side, asked anything on or not", async (t) => {
  const { server, port } = await opened(t);
  assert.equal(server.connections, 0);
  const sockets = Array.from({ length: 20 }, () =>
    connect({ host: "127.0.0.1", port }).on("error", () => undefined),
  );
  await until("all to be there", async () => server.connections === 20);
  sockets[0]?.write("GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
  await until("the server to close one", async () => server.connections === 19);
  sockets[1]?.resetAndDestroy();
  sockets[2]?.end();
  await until("two callers to leave", async () => server.connections === 17);
  for (const socket of sockets) socket.destroy();
  await until("the others to leave", async () => server.connections === 0);
});

test("a connection is closed when nothing was asked on it for a while, not while a request is under way", async (t) => {
  const answers: ServerResponse[] = [];
  const { port } = await opened(t, {
    timeouts: { ...TIMEOUTS, keepAliveMs: 100 },
    rawRoutes: new Map([["/slow", (_request, response) => void answers.push(response)]]),
  });
  const socket = connect({ host: "127.0.0.1", port }).setEncoding("latin1");
  let text = "";
  let closed = false;
  socket.on("data", (part: string) => (text += part)).on("close", () => (closed = true));
  const ask = "POST /slow HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n";
  for (const turn of [1, 2]) {
    socket.write(ask);
    await until("the request", async () => answers.length === turn);
    // Longer than an idle connection may stay: Node adds a second to what it is told.
    await sleep(1_300);
    assert.ok(!closed);
    answers[turn - 1]?.end("x");
    await until("the answer", async () => text.match(/HTTP\/1\.1 200/g)?.length === turn);
  }
  await until("its end", async () => closed);
});
