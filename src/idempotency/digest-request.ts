/** What makes two requests the same: where they were sent, and every byte of their bodies. */
import { createHash } from "node:crypto";

/**
 * SHA-256. `target` is the endpoint and whatever else of the address changes the answer; it has no
 * line break.
 */
export function digestRequest(target: string, body: Buffer): Buffer {
  return createHash("sha256").update(`${target}\n`).update(body).digest();
}
