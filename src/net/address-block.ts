/**
 * Who is behind an address, as far as that can be said: one IPv4 address, or the IPv6 network that
 * a customer of a provider is given.
 */
import ipaddr from "ipaddr.js";
import { isIP } from "node:net";

/** `203.0.113.7`; for IPv6 its /64, `2001:db8:0:1::/64`. What is no address comes back as it is. */
export function addressBlock(address: string): string {
  if (isIP(address) === 0) return address;
  // A mapped IPv4 address becomes that.
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  const network = ipaddr.fromByteArray([
    ...parsed.toByteArray().slice(0, 8),
    ...Array.from({ length: 8 }, () => 0),
  ]);
  return `${network.toString()}/64`;
}
