/** Writes one thought of the answer: its words as a summary, its seal with its end. */
import type { AccountSeal } from "../account-seal.ts";
import type { EmitEvent } from "./emit-event.ts";
import { sealThought } from "./sealed-thinking.ts";

type Item = Record<string, unknown>;

export interface ReasoningWriter {
  add(text: string): void;
  /**
   * `signature` is the upstream's own seal; null where it gave none. Returns the item as it stands
   * in the output.
   */
  end(signature: string | null): Item;
}

export function createReasoningWriter(
  emit: EmitEvent,
  seal: AccountSeal | null,
  id: string,
  output_index: number,
): ReasoningWriter {
  const place = { item_id: id, output_index, summary_index: 0 };
  let text = "";

  emit("response.output_item.added", {
    output_index,
    item: { id, type: "reasoning", summary: [] },
  });
  return {
    add(piece) {
      if (text === "")
        emit("response.reasoning_summary_part.added", {
          ...place,
          part: { type: "summary_text", text: "" },
        });
      text += piece;
      emit("response.reasoning_summary_text.delta", { ...place, delta: piece });
    },
    end(signature) {
      const part = { type: "summary_text", text };
      if (text !== "") {
        emit("response.reasoning_summary_text.done", { ...place, text });
        emit("response.reasoning_summary_part.done", { ...place, part });
      }
      const sealed = sealThought({ kind: "thinking", text, signature }, seal);
      return endReasoning(emit, id, output_index, text === "" ? [] : [part], sealed);
    },
  };
}

/** A thought that its upstream does not show: nothing but what it wants back. */
export function writeRedacted(
  emit: EmitEvent,
  seal: AccountSeal | null,
  id: string,
  output_index: number,
  data: string,
): Item {
  emit("response.output_item.added", {
    output_index,
    item: { id, type: "reasoning", summary: [] },
  });
  const sealed = sealThought({ kind: "redacted-thinking", data }, seal);
  return endReasoning(emit, id, output_index, [], sealed);
}

function endReasoning(
  emit: EmitEvent,
  id: string,
  output_index: number,
  summary: readonly object[],
  sealed: string | null,
): Item {
  const item = {
    id,
    type: "reasoning",
    summary,
    ...(sealed === null ? {} : { encrypted_content: sealed }),
  };
  emit("response.output_item.done", { output_index, item });
  return item;
}
