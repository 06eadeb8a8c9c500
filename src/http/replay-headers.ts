/** The headers of an answer that an idempotency key gives again. */
import type { Uuid } from "../kernel/ids.ts";
import { formatRequestId } from "../kernel/ids.ts";

/** `replayOf`: the request that was answered first; null for an answer of its own. */
export function replayHeaders(replayOf: Uuid | null): Readonly<Record<string, string>> {
  if (replayOf === null) return {};
  return {
    "idempotent-replayed": "true",
    "x-tollgate-original-request-id": formatRequestId(replayOf),
  };
}
