/**
 * The encrypted content of reasoning items: opaque to clients, bound to its item, and found out
 * where it was changed.
 */
import { createHash } from "node:crypto";

/** As the vendor's begins. */
const PREFIX = "gAAAAAB";
const CHECK_CHARACTERS = 16;

function check(payload: string): string {
  return createHash("sha256").update(`sandbox:${payload}`).digest("hex").slice(0, CHECK_CHARACTERS);
}

export function sealReasoning(id: string, reasoning: string): string {
  const payload = Buffer.from(JSON.stringify([id, reasoning])).toString("base64url");
  return PREFIX + check(payload) + payload;
}

/** Null where it was not sealed here, or was sealed for another item. An item may come without an id. */
export function openReasoning(encrypted: string, id: string | null): string | null {
  const payload = encrypted.slice(PREFIX.length + CHECK_CHARACTERS);
  if (encrypted !== PREFIX + check(payload) + payload) return null;
  const [sealedId, reasoning] = JSON.parse(Buffer.from(payload, "base64url").toString()) as [
    string,
    string,
  ];
  return id === null || id === sealedId ? reasoning : null;
}
