/**
 * An IP address, or a range in CIDR form, of version 4 or 6, as a pattern: forms tell a wrong one
 * with everything else that is wrong.
 */

const BYTE = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const V4 = `${BYTE}(?:\\.${BYTE}){3}`;
const GROUP = "[\\da-fA-F]{1,4}";
/** Its last two groups may be written as a version 4 address. */
const TAIL = `(?:${GROUP}:${GROUP}|${V4})`;

/**
 * With `::` behind at most `before` groups, and that many groups and the tail after it (RFC 3986,
 * IPv6address).
 */
function shortened(before: number, after: string): string {
  const head = before === 0 ? "" : `(?:(?:${GROUP}:){0,${before - 1}}${GROUP})?`;
  return `${head}::${after}`;
}

const V6 = [
  `(?:${GROUP}:){6}${TAIL}`,
  shortened(0, `(?:${GROUP}:){5}${TAIL}`),
  shortened(1, `(?:${GROUP}:){4}${TAIL}`),
  shortened(2, `(?:${GROUP}:){3}${TAIL}`),
  shortened(3, `(?:${GROUP}:){2}${TAIL}`),
  shortened(4, `${GROUP}:${TAIL}`),
  shortened(5, TAIL),
  shortened(6, GROUP),
  shortened(7, ""),
].join("|");

/** Up to three digits, zeros before it among them. */
const V4_PREFIX = "(?:0{0,2}\\d|0?[12]\\d|0?3[0-2])";
const V6_PREFIX = "(?:0{0,2}\\d|0?[1-9]\\d|1[01]\\d|12[0-8])";

/** Spaces around it are not part of it. */
export const IP_RANGE_PATTERN = `^\\s*(?:${V4}(?:/${V4_PREFIX})?|(?:${V6})(?:/${V6_PREFIX})?)\\s*$`;
