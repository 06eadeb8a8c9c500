/**
 * Gives a caller what the same request answered before: same status, type and bytes, a broken
 * stream broken off again.
 */
import { formatRequestId } from "../../kernel/ids.ts";
import { formatRoubles } from "../../kernel/money.ts";
import type { Replay } from "../admission/idempotency.ts";
import { breakOff, type FailureEnd } from "./break-off.ts";
import type { ChatReply } from "./chat-call.ts";

export function replayAnswer(
  reply: ChatReply,
  { requestId, chargedNano, answer }: Replay,
  endsInFailure?: FailureEnd,
): void {
  const headers = {
    "idempotent-replayed": "true",
    "x-tollgate-original-request-id": formatRequestId(requestId),
  };
  if (!answer.streamed) {
    const type = { "content-type": answer.contentType };
    reply.json(
      answer.status,
      { ...type, ...headers, "x-tollgate-cost": formatRoubles(chargedNano) },
      answer.body,
    );
    return;
  }
  reply.startStream({ "content-type": answer.contentType, ...headers });
  if (answer.broken) breakOff(reply, answer.body, endsInFailure);
  else reply.end(answer.body);
}
