/** Starts the bare Node proxy. */
import { join } from "node:path";
import { watchHeap } from "./heap-watch.ts";
import type { Peer, PeerContext } from "./peer.ts";
import { spawnServer } from "./spawn-server.ts";

export async function startBareProxy(context: PeerContext): Promise<Peer> {
  const heap = watchHeap(context.folder, "bare");
  const server = await spawnServer({
    leash: context.native.leash,
    command: [
      process.execPath,
      join(import.meta.dirname, "bare-proxy.ts"),
      `http://127.0.0.1:${context.upstreamPort}`,
    ],
    folder: context.folder,
    logFile: join(context.folder, "bare-proxy.log"),
    environment: { ...context.environment, ...heap.environment },
    port: (log) => Number(/"port":(\d+)/.exec(log)?.[1] ?? 0) || null,
  });
  return {
    name: "bare",
    title: "bare proxy",
    port: server.port,
    pid: server.pid,
    ownPath: "/",
    headers: [],
    keys: null,
    allocated: () => heap.allocated(),
    answered: () => undefined,
    async stop() {
      await server.stop();
      return null;
    },
  };
}
