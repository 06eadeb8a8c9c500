/** A frame of an upstream's stream that only says what it says, for tests of translation. */
import type { Frame } from "../../src/protocol/chat-dialect.ts";
import { ABSENT_USAGE } from "../../src/protocol/usage-reading.ts";

/** The parsed event; what the gateway reads besides for its own ends is not filled in. */
export function frameOf(
  payload: Record<string, unknown> | null,
  kind: Frame["kind"] = "data",
): Frame {
  return {
    kind,
    bytes: Buffer.alloc(0),
    payload,
    text: "",
    hasContent: false,
    finished: false,
    usage: ABSENT_USAGE,
    error: null,
  };
}
