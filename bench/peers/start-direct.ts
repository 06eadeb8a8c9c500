/** The row without a gateway: callers ask the upstream itself. */
import type { Peer, PeerContext } from "./peer.ts";

export function startDirect(context: PeerContext): Peer {
  return {
    name: "direct",
    title: "no gateway",
    port: context.upstreamPort,
    pid: null,
    ownPath: null,
    headers: [],
    keys: null,
    answered: () => undefined,
    stop: async () => null,
  };
}
