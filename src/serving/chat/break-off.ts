/**
 * The end of a stream whose answer broke off: an error event, and a connection that is broken, too,
 * where clients could take the answer for a whole one.
 */
import type { ChatDialect } from "../../protocol/chat-dialect.ts";
import type { ChatReply } from "./chat-call.ts";

/** Absent: no end of its streams tells a failure. */
export type FailureEnd = ChatDialect["endsInFailure"];

export function breakOff(
  reply: Pick<ChatReply, "end" | "breakOff">,
  last: Buffer | null,
  endsInFailure: FailureEnd,
): void {
  if (last !== null && endsInFailure?.(last) === true) reply.end(last);
  else reply.breakOff(last);
}
