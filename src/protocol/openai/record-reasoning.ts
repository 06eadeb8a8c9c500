/** Collects the thinking of an answer block by block, to say it once more with its seals. */
import type { NeutralEvent } from "../neutral/neutral-event.ts";
import type { ReasoningPart } from "./reasoning-details.ts";

export interface ReasoningRecord {
  /** Every event of the answer, in order. */
  add(event: NeutralEvent): void;
  /**
   * The blocks that are over; none where no block is sealed, since then the text alone says it all.
   */
  sealed(): readonly ReasoningPart[];
}

export function createReasoningRecord(): ReasoningRecord {
  const parts: ReasoningPart[] = [];
  let text = "";
  let anySeal = false;

  function close(signature: string | null): void {
    if (text !== "" || signature !== null) parts.push({ kind: "thinking", text, signature });
    anySeal ||= signature !== null;
    text = "";
  }

  return {
    add(event) {
      if (event.kind === "thinking") {
        text += event.text;
        return;
      }
      close(event.kind === "thinking-end" ? event.signature : null);
      if (event.kind !== "redacted-thinking") return;
      parts.push({ kind: "redacted-thinking", data: event.data });
      anySeal = true;
    },
    sealed: () => (anySeal ? parts : []),
  };
}
