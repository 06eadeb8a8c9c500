/**
 * The addresses that a checked URL may be fetched from: all of its name's, each of them checked, or
 * none.
 */
import { abortable, startCall } from "./bounded-call.ts";
import { isAllowedHost, literalOf, portOf, WEB_PORTS } from "./check-url.ts";
import { FetchRefusal, type FetchRule } from "./fetch-refusal.ts";
import { isAllowedAddress, isReachable, parseRanges } from "./public-address.ts";
import { createDnsResolver, resolveBySystem, type ResolveHost } from "./resolve-host.ts";

interface FinderOptions {
  readonly allow: readonly string[];
  readonly deny?: readonly string[];
  readonly ports?: readonly number[];
  /** Instead of the name servers and the system. */
  readonly resolve?: ResolveHost;
  readonly nameMs: number;
}

export type FoundAddresses =
  | { readonly ok: true; readonly addresses: readonly string[] }
  /** `transient`: instead of the rule's own word. */
  | {
      readonly ok: false;
      readonly rule: FetchRule | "port";
      readonly cause: unknown;
      readonly transient?: boolean;
    };

/** Rejects with the signal's reason only. Throws for what is no range of addresses. */
export type FindAddresses = (
  url: URL,
  allowHosts: readonly string[],
  signal: AbortSignal,
) => Promise<FoundAddresses>;

/** The name servers are sure: another try finds no more. */
const NO_SUCH_NAME: FoundAddresses = {
  ok: false,
  rule: "name_not_found",
  cause: undefined,
  transient: false,
};

export function createAddressFinder(options: FinderOptions): FindAddresses {
  const ranges = { allow: parseRanges(options.allow), deny: parseRanges(options.deny ?? []) };
  const ports = options.ports ?? WEB_PORTS;
  const resolveCallers = options.resolve ?? createDnsResolver();
  const resolveAllowed = options.resolve ?? resolveBySystem;

  async function ask(
    hostname: string,
    resolve: ResolveHost,
    signal: AbortSignal,
  ): Promise<FoundAddresses> {
    const late = new FetchRefusal("name_timeout");
    const asking = startCall(options.nameMs, () => late, signal);
    try {
      const addresses = await abortable(resolve(hostname, asking.signal), asking.signal);
      return addresses.length === 0 ? NO_SUCH_NAME : { ok: true, addresses };
    } catch (error) {
      signal.throwIfAborted();
      return {
        ok: false,
        rule: asking.signal.reason === late ? "name_timeout" : "name_not_found",
        cause: error,
      };
    } finally {
      asking.end();
    }
  }

  return async (url, allowHosts, signal) => {
    const literal = literalOf(url);
    if (literal !== null) return { ok: true, addresses: [literal] };
    const allowed = isAllowedHost(url, allowHosts);
    const found = await ask(url.hostname, allowed ? resolveAllowed : resolveCallers, signal);
    if (!found.ok || allowed) return found;
    const inside = found.addresses.find((address) => !isReachable(address, ranges));
    if (inside !== undefined)
      return {
        ok: false,
        rule: "name_not_public",
        cause: new Error(`${url.hostname} has the address ${inside}`),
      };
    const mayPort =
      ports.includes(portOf(url)) ||
      found.addresses.every((address) => isAllowedAddress(address, ranges));
    return mayPort ? found : { ok: false, rule: "port", cause: undefined };
  };
}
