/**
 * Starts the least of a gateway, with keys that it has not seen before: one that counts its charges, or
 * one that commits them, too.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { newKeySecret } from "../../src/kernel/secrets.ts";
import { watchHeap } from "./heap-watch.ts";
import type { Peer, PeerContext } from "./peer.ts";
import { spawnServer } from "./spawn-server.ts";

const KEYS = 1_000;

export async function startLeastGateway(context: PeerContext, bills: boolean): Promise<Peer> {
  const { folder, native, upstreamPort } = context;
  const name = bills ? "least-billed" : "least";
  const heap = watchHeap(folder, name);
  const server = await spawnServer({
    leash: native.leash,
    command: [
      process.execPath,
      join(import.meta.dirname, "on-serving-flags.mjs"),
      join(import.meta.dirname, "least-gateway.ts"),
      `http://127.0.0.1:${upstreamPort}`,
      ...(bills ? [join(folder, `${name}-data`)] : []),
    ],
    folder,
    logFile: join(folder, `${name}-gateway.log`),
    environment: { ...context.environment, ...heap.environment },
    port: (log) => Number(/"port":(\d+)/.exec(log)?.[1] ?? 0) || null,
  });
  const many = join(folder, `${name}-keys`);
  writeFileSync(many, Array.from({ length: KEYS }, newKeySecret).join("\n"));
  return {
    name,
    title: bills ? "least gateway, billing" : "least gateway",
    port: server.port,
    pid: server.pid,
    ownPath: "/",
    headers: [],
    keys: { many, hot: many },
    allocated: () => heap.allocated(),
    answered: () => server.forgetLog(),
    async stop() {
      await server.stop();
      return null;
    },
  };
}
