/**
 * Whose request it is: the address of the TCP peer or, where that is a proxy of ours, the one that
 * our proxies name in X-Forwarded-For.
 */
import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import { createIpMatcher } from "../keys/ip-ranges.ts";

/** What is read of an IncomingMessage. */
export interface AddressedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/**
 * The address that limits and allowed addresses are about; empty when the connection is already
 * gone. Never throws.
 */
export type ClientAddress = (request: AddressedRequest) => string;

/**
 * No chain of proxies is longer; a header of thousands of trusted addresses is not read to its end.
 */
const MOST_HOPS = 32;

/** `1.2.3.4`, `::1`, and both with a port: `1.2.3.4:5678`, `[::1]:5678`. */
const ENTRY =
  /^[ \t]*(?:(?:(?<v4>[\d.]+)|\[(?<bracketed>[\da-f:.]+)\])(?::\d{1,5})?|(?<v6>[\da-f:.]+))[ \t]*$/i;

/**
 * `trustedProxies`: addresses and CIDR ranges (TRUSTED_PROXIES). Every proxy writes at the right
 * end whom it was called by, so the header is read from there: trusted entries are skipped, the
 * first other one is the client; all further left was sent by the client and may be forged. Where
 * everybody is trusted it is the leftmost, and where an entry is no IP address the trusted hop
 * before it. No other header is looked at, because proxies pass on what clients forge in those that
 * they do not set themselves.
 */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  if (trustedProxies.length === 0) return peerOf;
  const isTrusted = createIpMatcher(trustedProxies);
  return (request) => {
    const peer = peerOf(request);
    // Node joins repeated headers of this name with commas, in their order.
    const forwarded = request.headers["x-forwarded-for"];
    return typeof forwarded === "string" && isTrusted(peer)
      ? walk(forwarded, peer, isTrusted)
      : peer;
  };
}

function peerOf({ socket }: AddressedRequest): string {
  return socket.remoteAddress ?? "";
}

function walk(forwarded: string, peer: string, isTrusted: (ip: string) => boolean): string {
  let hop = peer;
  let end = forwarded.length;
  for (let hops = 0; hops < MOST_HOPS && end >= 0; hops += 1) {
    const comma = end === 0 ? -1 : forwarded.lastIndexOf(",", end - 1);
    const address = addressIn(forwarded.slice(comma + 1, end));
    if (address === null) return hop;
    if (!isTrusted(address)) return address;
    hop = address;
    end = comma;
  }
  return hop;
}

/** Null: the entry is no IP address. An IPv4 address in its IPv6 form becomes that. */
function addressIn(entry: string): string | null {
  const { v4, bracketed, v6 } = ENTRY.exec(entry)?.groups ?? {};
  const address = v4 ?? bracketed ?? v6 ?? "";
  if (isIP(address) !== (v4 === undefined ? 6 : 4)) return null;
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}
