/** Reads one count of tokens as upstreams of any protocol write it. */

/** Without leading zeros, and no longer than a safe integer can be. */
const DIGITS = /^(?:0|[1-9]\d{0,15})$/;

/**
 * Undefined where none is given, "bad" for what cannot be one. Digits in a text are a count: that
 * is how protobuf's JSON writes a whole number of 64 bits, and taken for nothing the answer would
 * be charged by what can be seen of it, without its reasoning.
 */
export function readTokenCount(raw: unknown): number | undefined | "bad" {
  if (raw === undefined || raw === null) return undefined;
  const count = typeof raw === "string" && DIGITS.test(raw) ? Number(raw) : raw;
  return typeof count === "number" && Number.isSafeInteger(count) && count >= 0 ? count : "bad";
}
