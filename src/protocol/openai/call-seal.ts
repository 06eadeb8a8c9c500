/**
 * Where tool calls of this protocol have their upstream's seal: Google's place for it
 * (ai.google.dev, thought signatures, OpenAI compatibility).
 */
import { isRecord } from "../json/is-record.ts";

/** Empty where a call has none. */
export function readCallSeal({ extra_content: extra }: Record<string, unknown>): string {
  const google = isRecord(extra) ? extra["google"] : undefined;
  const seal = isRecord(google) ? google["thought_signature"] : undefined;
  return typeof seal === "string" ? seal : "";
}

export function writeCallSeal(seal: string | undefined): Record<string, unknown> {
  return seal === undefined ? {} : { extra_content: { google: { thought_signature: seal } } };
}
