/**
 * Ranges of IP addresses in CIDR form, version 4 and 6: where a key may be used from, which proxies
 * are trusted, who is near.
 */
import { BlockList, isIP } from "node:net";

export interface IpRange {
  readonly address: string;
  readonly prefix: number;
  readonly family: "ipv4" | "ipv6";
}

/** Reads `10.0.0.0/8`, `2001:db8::/32`, or one address. Null when the text is none of these. */
export function parseIpRange(text: string): IpRange | null {
  const match = /^([0-9A-Fa-f.:]+)(?:\/(\d{1,3}))?$/.exec(text);
  const address = match?.[1] ?? "";
  const version = isIP(address);
  if (version === 0) return null;
  const longest = version === 4 ? 32 : 128;
  const prefix = match?.[2] === undefined ? longest : Number(match[2]);
  return prefix > longest ? null : { address, prefix, family: version === 4 ? "ipv4" : "ipv6" };
}

/**
 * Whether an address lies in one of the ranges. A version 4 address that arrives in its version 6
 * form (`::ffff:…`) counts as version 4.
 */
export function ipAllowed(ranges: readonly string[], ip: string): boolean {
  return createIpMatcher(ranges)(ip);
}

/** `ipAllowed` for ranges that stay the same. Texts that are no ranges hold no address. */
export function createIpMatcher(ranges: readonly string[]): (ip: string) => boolean {
  const list = new BlockList();
  for (const text of ranges) {
    const range = parseIpRange(text);
    if (range !== null) list.addSubnet(range.address, range.prefix, range.family);
  }
  return (ip) => {
    const version = isIP(ip);
    return version !== 0 && list.check(ip, version === 4 ? "ipv4" : "ipv6");
  };
}
