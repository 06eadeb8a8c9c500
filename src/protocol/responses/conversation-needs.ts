/**
 * What a Responses request asks of what is kept here: to be kept itself, to go on from an earlier
 * answer, to have items found or opened that only the gateway has.
 */
import { isRecord } from "../json/is-record.ts";

export interface ConversationNeeds {
  /** The answer is to be kept: so it is unless the request says otherwise. */
  readonly store: boolean;
  /** The answer that the conversation goes on from; null: the request has all of it. */
  readonly previousId: string | null;
  /** Its input names items of earlier answers, or has summaries that were sealed here. */
  readonly resolves: boolean;
  /** Its input ends with the wish to have all of it summed up. */
  readonly compacts: boolean;
}

const REFERENCE = "item_reference";
export const COMPACTION = "compaction";
export const COMPACTION_TRIGGER = "compaction_trigger";

/** `body` is a validated request. */
export function conversationNeeds(body: Record<string, unknown>): ConversationNeeds {
  const { store, previous_response_id: previous, input } = body;
  const items: readonly unknown[] = Array.isArray(input) ? input : [];
  return {
    store: store !== false,
    previousId: typeof previous === "string" && previous !== "" ? previous : null,
    resolves: items.some((item) => isReference(item) || typeOf(item) === COMPACTION),
    compacts: typeOf(items.at(-1)) === COMPACTION_TRIGGER,
  };
}

function typeOf(item: unknown): unknown {
  return isRecord(item) ? item["type"] : undefined;
}

/** Its type may be left out: then it is an id and nothing else. */
export function isReference(item: unknown): item is Record<string, unknown> {
  if (!isRecord(item)) return false;
  const { type, id, role } = item;
  if (type === REFERENCE) return true;
  return (type === undefined || type === null) && role === undefined && typeof id === "string";
}
