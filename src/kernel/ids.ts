/** Identifiers: time-ordered UUIDs inside, prefixed forms of the same bits outside. */
import { randomUUIDv7 } from "node:crypto";

/** A lower-case UUID string with dashes. */
export type Uuid = string;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const REQUEST_ID = /^req_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

/** A new time-ordered UUID (version 7, RFC 9562): later ids sort after earlier ones, so indexes stay dense. */
export function newUuid(): Uuid {
  return randomUUIDv7();
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
