/**
 * Which addresses are public: everybody's to reach, and no machine, network or cloud of our own
 * behind them.
 */
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A block of addresses. */
export interface AddressRange {
  readonly base: Address;
  readonly bits: number;
}

export interface AddressPolicy {
  /** Let through though they are not public (FETCH_ALLOW). Stronger than `deny`. */
  readonly allow: readonly AddressRange[];
  /** Refused though they are public: the operator's own. */
  readonly deny: readonly AddressRange[];
}

function range(text: string): AddressRange {
  const parsed = parseRange(text);
  if (parsed === null) throw new Error(`"${text}" is not an address range such as 10.0.0.0/8`);
  return parsed;
}

/**
 * All that is assigned to the public Internet; ipaddr.js calls all unassigned IPv6 "unicast" too.
 */
const GLOBAL_UNICAST = range("2000::/3");

/**
 * What ipaddr.js calls "unicast" and yet leads inside: Azure's platform answers its guests there.
 */
const NOT_PUBLIC = [range("168.63.129.16")];

/** NAT64 (RFC 6052): the last four bytes are the IPv4 address that is really reached. */
const NAT64 = range("64:ff9b::/96");

/** An address block in CIDR notation, or one address. Null: it is neither. */
export function parseRange(text: string): AddressRange | null {
  const [address = "", bits, ...rest] = text.split("/");
  const base = parse(address);
  if (base === null || rest.length > 0) return null;
  const most = base.kind() === "ipv4" ? 32 : 128;
  if (bits === undefined) return { base, bits: most };
  if (!/^\d{1,3}$/.test(bits)) return null;
  // A mapped block is the IPv4 block that it maps.
  const size = Number(bits) - (base.kind() === "ipv4" && isIP(address) === 6 ? 96 : 0);
  return size >= 0 && size <= most ? { base, bits: size } : null;
}

/** Throws an Error that names the first text that is no range. */
export function parseRanges(texts: readonly string[]): AddressRange[] {
  return texts.map(range);
}

/**
 * Never one of the short or numeric spellings, which ipaddr.js would take too; a mapped IPv4
 * address becomes that.
 */
function parse(text: string): Address | null {
  return isIP(text) === 0 ? null : ipaddr.process(text);
}

function liesIn(address: Address, ranges: readonly AddressRange[]): boolean {
  return ranges.some(
    ({ base, bits }) => base.kind() === address.kind() && address.match(base, bits),
  );
}

/**
 * Mapped, translated and tunnelled addresses (NAT64, 6to4, Teredo) are never "unicast" to
 * ipaddr.js, whatever IPv4 address they carry.
 */
function isPublic(address: Address): boolean {
  if (address.range() !== "unicast" || liesIn(address, NOT_PUBLIC)) return false;
  return address.kind() === "ipv4" || liesIn(address, [GLOBAL_UNICAST]);
}

/** The address that is really reached. */
function behindTranslator(address: Address): Address | null {
  return liesIn(address, [NAT64]) ? ipaddr.fromByteArray(address.toByteArray().slice(-4)) : null;
}

/** Lies in an allowed range, and so does the address behind a translator. */
function isAllowed(address: Address, ranges: readonly AddressRange[]): boolean {
  const behind = behindTranslator(address);
  return liesIn(address, ranges) && (behind === null || liesIn(behind, ranges));
}

/** Whether an address may be connected to for a caller. False for whatever is not an address. */
export function isReachable(text: string, { allow, deny }: AddressPolicy): boolean {
  function mayReach(address: Address): boolean {
    return isAllowed(address, allow) || (isPublic(address) && !liesIn(address, deny));
  }
  const address = parse(text);
  if (address === null) return false;
  const behind = behindTranslator(address);
  // A network that has no IPv4 of its own allows its translator: then every public address is
  // reached through that.
  return behind === null ? mayReach(address) : liesIn(address, allow) && mayReach(behind);
}

/**
 * Whether an address is reachable by a word of the operator only: any port may be asked for there.
 */
export function isAllowedAddress(text: string, { allow }: AddressPolicy): boolean {
  const address = parse(text);
  return address !== null && isAllowed(address, allow);
}

/** Whether two texts are the same address in different spellings. */
export function isSameAddress(one: string, other: string): boolean {
  const [first, second] = [parse(one), parse(other)];
  return first !== null && second !== null && first.toString() === second.toString();
}
