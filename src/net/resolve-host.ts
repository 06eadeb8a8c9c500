/**
 * Asks for all addresses of a host name: the domain name system for callers' names, the whole
 * machine for the operator's.
 */
import { lookup, Resolver } from "node:dns/promises";

/**
 * All IPv4 and IPv6 addresses, in the order in which they are to be tried; none: there is no such
 * name, or it has none, for certain. Rejects where that could not be learned; stops when the signal
 * says so.
 */
export type ResolveHost = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

interface DnsOptions {
  /** Instead of the machine's: `address` or `address:port`. */
  readonly servers?: readonly string[];
}

/**
 * Questions to name servers only. Not the system's `getaddrinfo`: that runs in the four threads
 * that files need too, cannot be cancelled, and a caller can own a name server that never answers;
 * and it would tell callers the names in this machine's hosts file.
 */
export function createDnsResolver(options: DnsOptions = {}): ResolveHost {
  return async (hostname, signal) => {
    signal.throwIfAborted();
    const resolver = new Resolver({ timeout: 1_500, tries: 2 });
    if (options.servers !== undefined) resolver.setServers(options.servers);
    function cancel(): void {
      resolver.cancel();
    }
    signal.addEventListener("abort", cancel, { once: true });
    try {
      // A server that fails for one family only is common; what it says for the other is used.
      const answers = await Promise.allSettled([
        resolver.resolve4(hostname),
        resolver.resolve6(hostname),
      ]);
      const addresses = answers.flatMap((answer) =>
        answer.status === "fulfilled" ? answer.value : [],
      );
      const unsure = answers.find(
        (answer) => answer.status === "rejected" && !isNoSuchName(answer.reason),
      );
      if (addresses.length === 0 && unsure?.status === "rejected" && !signal.aborted)
        throw unsure.reason;
      return addresses;
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  };
}

/**
 * As any program of this machine resolves, hosts file and search domains included: for names that
 * the operator wrote.
 */
export async function resolveBySystem(hostname: string): Promise<readonly string[]> {
  try {
    const found = await lookup(hostname, { all: true, order: "verbatim" });
    return found.map(({ address }) => address);
  } catch (error) {
    if (isNoSuchName(error)) return [];
    throw error;
  }
}

/** NXDOMAIN, and a name without addresses. */
function isNoSuchName(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : null;
  return code === "ENOTFOUND" || code === "ENODATA";
}
