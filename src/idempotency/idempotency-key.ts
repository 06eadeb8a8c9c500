/**
 * Reads the `Idempotency-Key` header: the caller's own name for one request, however often it is
 * sent.
 */
import { Fault } from "../kernel/faults.ts";

const MAX_CHARACTERS = 255;
/**
 * Visible ASCII and the space: what a header carries unharmed. The IETF draft's quotes are part of
 * the key.
 */
const KEY = /^[\x20-\x7e]+$/;

/**
 * Null where the header is absent. Throws Fault("invalid_request") for one that is empty, too long
 * or not printable.
 */
export function readIdempotencyKey(header: string | readonly string[] | undefined): string | null {
  if (header === undefined) return null;
  const key = typeof header === "string" ? header : header.join(", ");
  if (key.length <= MAX_CHARACTERS && KEY.test(key)) return key;
  throw new Fault("invalid_request", {
    message: `The header Idempotency-Key takes 1 to ${MAX_CHARACTERS} printable ASCII characters.`,
    param: "Idempotency-Key",
  });
}
