/** Identifiers: time-ordered UUIDs inside, prefixed forms of the same bits outside. */
import { randomUUIDv7 } from "node:crypto";

/** A lower-case UUID string with dashes. */
export type Uuid = string;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const REQUEST_ID = /^req_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

/** Counts of one millisecond: what the 12 bits behind the time have room for. */
const COUNTS = 4096;

/**
 * Gives each id of `random` (version 7) a count behind its time in place of chance (RFC 9562 §6.2),
 * so that every id sorts after the one before it: within a millisecond, and when the clock is set
 * back. A count that runs over borrows the next millisecond.
 */
export function createUuidSource(random: () => Uuid): () => Uuid {
  let time = "";
  let count = 0;
  return () => {
    const id = random();
    const now = id.slice(0, 13);
    count += 1;
    if (now > time || count === COUNTS) {
      time = now > time ? now : millisecondAfter(time);
      count = 0;
    }
    return `${time}-7${count.toString(16).padStart(3, "0")}${id.slice(18)}`;
  };
}

function millisecondAfter(time: string): string {
  const hex = (Number.parseInt(time.replace("-", ""), 16) + 1).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/**
 * A new time-ordered UUID (version 7, RFC 9562): those of one process sort in the order they were
 * made, so indexes stay dense.
 */
export const newUuid: () => Uuid = createUuidSource(randomUUIDv7);

export function isUuid(text: string): text is Uuid {
  return UUID.test(text);
}

/** The public form of a request's UUID: `req_` and its 32 hex digits (contract §2). */
export function formatRequestId(id: Uuid): string {
  return `req_${id.slice(0, 8)}${id.slice(9, 13)}${id.slice(14, 18)}${id.slice(19, 23)}${id.slice(24)}`;
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
