/**
 * Protects: a connection opens only to an address that was checked, once, whatever its name would
 * resolve to.
 */
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { after, test } from "node:test";
import { until } from "../../test/support/until.ts";
import { createGuardedConnector, type ConnectTarget } from "./guarded-connector.ts";
import { createPeers } from "../../test/support/loopback-peers.ts";

const peers = createPeers();
after(() => peers.close());

function connect(
  connector: ReturnType<typeof createGuardedConnector>,
  hostname: string,
  port: number,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    connector.connect({ hostname, port: String(port), protocol: "http:" }, (...[error, socket]) =>
      error === null && socket !== null ? resolve(socket) : reject(error ?? new Error("no socket")),
    );
  });
}

async function attempt(
  target: ConnectTarget,
  hostname = target.hostname,
): Promise<{ error: unknown; visits: number }> {
  const peer = await peers.listen(null);
  const connector = createGuardedConnector(target);
  const error = await connect(connector, hostname, peer.port).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  await new Promise<void>((resolve) => connector.close(resolve));
  await until("the connection is closed", async () => peer.open === 0);
  return { error, visits: peer.visits };
}

test("a name leads to the addresses that were checked for it, without a resolver", async () => {
  assert.deepEqual(await attempt({ hostname: "nowhere.invalid", addresses: ["127.0.0.1"] }), {
    error: null,
    visits: 1,
  });
});

test("a name for which nothing was checked leads nowhere", async () => {
  const { error, visits } = await attempt({ hostname: "localhost", addresses: [] });
  assert.match(String(error), /no address was checked/);
  assert.equal(visits, 0);
});

test("a connection to another address than was checked is not used, though node asks no resolver for it", async () => {
  const { error } = await attempt({ hostname: "127.0.0.1", addresses: ["8.8.8.8"] });
  assert.equal((error as { rule?: string }).rule, "name_not_public");
});

test("a second connection is not opened", async () => {
  const peer = await peers.listen(null);
  const connector = createGuardedConnector({ hostname: "127.0.0.1", addresses: ["127.0.0.1"] });
  await connect(connector, "127.0.0.1", peer.port);
  await assert.rejects(connect(connector, "127.0.0.1", peer.port), /second connection/);
  await new Promise<void>((resolve) => connector.close(resolve));
  assert.equal(peer.visits, 1);
});
