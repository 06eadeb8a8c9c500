/** Identifiers: time-ordered UUIDs inside, prefixed forms of the same bits outside. */
import { randomUUIDv7 } from "node:crypto";

/** A lower-case UUID string with dashes. */
export type Uuid = string;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const REQUEST_ID = /^req_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

let lastTime = 0;
let lastCount = 0;
let timePart = "";

/** A new time-ordered UUID (version 7, RFC 9562): each one this process makes sorts after the one before it, also within a millisecond and
 *  when the clock is set back (§6.2, a counter of 12 bits behind the time), so indexes stay dense and lists have the order of their making. */
export function newUuid(): Uuid {
  const now = Date.now();
  if (now > lastTime || ++lastCount > 0xfff) {
    // A counter that ran over borrows the next millisecond.
    lastTime = Math.max(now, lastTime + 1);
    lastCount = 0;
    const hex = lastTime.toString(16).padStart(12, "0");
    timePart = `${hex.slice(0, 8)}-${hex.slice(8)}-7`;
  }
  return timePart + lastCount.toString(16).padStart(3, "0") + randomUUIDv7().slice(18);
}

export function isUuid(text: string): text is Uuid {
  return UUID.test(text);
}

/** The public form of a request's UUID: `req_` and its 32 hex digits (contract §2). */
export function formatRequestId(id: Uuid): string {
  return `req_${id.replaceAll("-", "")}`;
}

/** The UUID behind a public request id, or null when the text is not one. A bare UUID is accepted too. */
export function parseRequestId(text: string): Uuid | null {
  const match = REQUEST_ID.exec(text);
  if (match !== null) return match.slice(1).join("-");
  return isUuid(text) ? text : null;
}
