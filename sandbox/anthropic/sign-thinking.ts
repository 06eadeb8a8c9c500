/**
 * Signatures of thinking blocks: opaque to clients, and the same text always gets the same one, so
 * a changed block is found out.
 */
import { createHash } from "node:crypto";

export function signThinking(thinking: string): string {
  return Buffer.from(`sandbox:${createHash("sha256").update(thinking).digest("hex")}`).toString(
    "base64",
  );
}
