/** Identifiers: time-ordered UUIDs inside, prefixed forms of the same bits outside. */
import { randomFillSync } from "node:crypto";
import { systemClock } from "./clock.ts";

/** A lower-case UUID string with dashes. */
export type Uuid = string;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const REQUEST_ID = /^req_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

/** Counts of one millisecond: what the 12 bits behind the time have room for. */
const COUNTS = 4096;
/** Of chance in an id, two bits of which say its variant. */
const RANDOM_BYTES = 8;
/** Chance is asked for in pieces of so many ids. */
const IDS_OF_PIECE = 256;
const HEX_DIGITS = Buffer.from("0123456789abcdef");

/**
 * Ids (version 7) with a count behind their time (RFC 9562 §6.2), so that every id sorts after the
 * one before it: within a millisecond, and when the clock is set back. A count that runs over
 * borrows the next millisecond. Written in place, because every request needs some.
 */
export function createUuidSource(nowMs: () => number, random: (into: Buffer) => void): () => Uuid {
  const text = Buffer.from("00000000-0000-7000-0000-000000000000");
  const chance = Buffer.alloc(RANDOM_BYTES * IDS_OF_PIECE);
  let chanceAt = chance.length;
  let timeMs = 0;
  let count = 0;

  /** The last `digits` digits of the number, the last of them before `end`. */
  function write(number: number, digits: number, end: number): void {
    let rest = number;
    for (let at = end - 1; at >= end - digits; at--) {
      text[at] = HEX_DIGITS[rest & 15] ?? 0;
      rest >>>= 4;
    }
  }

  return () => {
    const now = nowMs();
    count += 1;
    if (now > timeMs || count === COUNTS) {
      timeMs = now > timeMs ? now : timeMs + 1;
      count = 0;
      write(Math.floor(timeMs / 0x1_0000), 8, 8);
      write(timeMs % 0x1_0000, 4, 13);
    }
    if (chanceAt === chance.length) {
      random(chance);
      chanceAt = 0;
    }
    write(count, 3, 18);
    write((chance.readUInt16BE(chanceAt) & 0x3fff) | 0x8000, 4, 23);
    write(chance.readUInt16BE(chanceAt + 2), 4, 28);
    write(chance.readUInt32BE(chanceAt + 4), 8, 36);
    chanceAt += RANDOM_BYTES;
    return text.toString("latin1");
  };
}

/**
 * A new time-ordered UUID (version 7, RFC 9562): those of one process sort in the order they were
 * made, so indexes stay dense.
 */
export const newUuid: () => Uuid = createUuidSource(
  () => systemClock.now().getTime(),
  randomFillSync,
);

export function isUuid(text: string): text is Uuid {
  return UUID.test(text);
}

const DASH = "-".charCodeAt(0);
const PUBLIC_ID = Buffer.from(`req_${"0".repeat(32)}`);

/** The public form of a request's UUID: `req_` and its 32 hex digits (contract §2). */
export function formatRequestId(id: Uuid): string {
  let at = "req_".length;
  for (let i = 0; i < id.length; i++) {
    const digit = id.charCodeAt(i);
    if (digit !== DASH) PUBLIC_ID[at++] = digit;
  }
  return PUBLIC_ID.toString("latin1");
}

/**
 * The UUID behind a public request id, or null when the text is not one. A bare UUID is accepted
 * too.
 */
export function parseRequestId(text: string): Uuid | null {
  const match = REQUEST_ID.exec(text);
  if (match !== null) return match.slice(1).join("-");
  return isUuid(text) ? text : null;
}
