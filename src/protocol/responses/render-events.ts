/** Puts events of the Responses protocol on the wire. */
import type { WireEvent } from "../chat-dialect.ts";

/** Each with the `event:` line that some clients go by, which repeats the type. */
export function renderResponseEvents(events: readonly WireEvent[]): Buffer {
  let text = "";
  for (const event of events)
    text += `event: ${String(event["type"])}\ndata: ${JSON.stringify(event)}\n\n`;
  return Buffer.from(text);
}
