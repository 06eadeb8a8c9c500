/** Bounds how many fetches from one host are under way: a server that is slow, or a victim of ours, gets no more of us than that. */
import { abortable } from "./bounded-call.ts";

export interface HostSlots {
  /** Waits for its turn, first come, first served, or until the signal says no. The answer gives the slot back. */
  take(host: string, signal: AbortSignal): Promise<() => void>;
  /** Hosts that are remembered: those with a fetch under way. */
  size(): number;
}

interface Host {
  busy: number;
  readonly waiting: Set<() => void>;
}

export function createHostSlots(perHost: number): HostSlots {
  const hosts = new Map<string, Host>();

  function giveBack(name: string, host: Host): void {
    const [next] = host.waiting;
    if (next !== undefined) {
      host.waiting.delete(next);
      next();
      return;
    }
    host.busy -= 1;
    if (host.busy === 0) hosts.delete(name);
  }

  return {
    size: () => hosts.size,

    async take(name, signal) {
      signal.throwIfAborted();
      const host = hosts.get(name) ?? { busy: 0, waiting: new Set() };
      hosts.set(name, host);
      if (host.busy < perHost) {
        host.busy += 1;
      } else {
        const { promise, resolve } = Promise.withResolvers<void>();
        host.waiting.add(resolve);
        try {
          await abortable(promise, signal);
        } catch (error) {
          // It may have been given the slot in the same moment.
          if (!host.waiting.delete(resolve)) giveBack(name, host);
          throw error;
        }
      }
      let held = true;
      return () => {
        if (held) giveBack(name, host);
        held = false;
      };
    },
  };
}
