/**
 * Protects the count of open connections, by which a process tells whether its callers can be too
 * many.
 */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { until } from "../../test/support/until.ts";
import { systemClock } from "../kernel/clock.ts";
import { Fault } from "../kernel/faults.ts";
import { createClientAddress } from "./client-address.ts";
import { createNodeServer } from "./node-server.ts";

test("open connections are counted until they are closed, by whichever side, asked anything on or not", async (t) => {
  const server = await createNodeServer({
    routes: [],
    rawRoutes: new Map(),
    authenticate: () => Promise.reject(new Fault("invalid_api_key")),
    authenticateMember: () => Promise.reject(new Fault("session_required")),
    origin: () => "http://127.0.0.1",
    clientAddress: createClientAddress([]),
    onRequestDone: () => undefined,
    clock: systemClock,
  });
  t.after(() => server.close(0));
  const port = await server.listen({ host: "127.0.0.1", port: 0 });
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
