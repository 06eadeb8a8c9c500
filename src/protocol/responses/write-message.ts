/** Writes a message of the answer: its parts one after the other, each by its pieces. */
import type { EmitEvent } from "./emit-event.ts";

type Kind = "output_text" | "refusal";
type Part = Record<string, unknown>;

/** The item, as far as it has come. */
export interface MessageWriter {
  add(kind: Kind, text: string): void;
  /** Returns the item as it stands in the output. */
  end(status: "completed" | "incomplete"): Part;
}

function partOf(kind: Kind, text: string): Part {
  return kind === "refusal"
    ? { type: "refusal", refusal: text }
    : { type: "output_text", text, annotations: [], logprobs: [] };
}

export function createMessageWriter(
  emit: EmitEvent,
  id: string,
  output_index: number,
): MessageWriter {
  const content: Part[] = [];
  let open: Kind | null = null;
  let text = "";
  const item = (status: string): Part => ({
    id,
    type: "message",
    status,
    role: "assistant",
    content: [...content],
  });
  const place = () => ({ item_id: id, output_index, content_index: content.length });

  function endPart(): void {
    if (open === null) return;
    const part = partOf(open, text);
    if (open === "refusal") emit("response.refusal.done", { ...place(), refusal: text });
    else emit("response.output_text.done", { ...place(), text, logprobs: [] });
    emit("response.content_part.done", { ...place(), part });
    content.push(part);
    open = null;
    text = "";
  }

  emit("response.output_item.added", { output_index, item: item("in_progress") });
  return {
    add(kind, piece) {
      if (open !== kind) {
        endPart();
        open = kind;
        emit("response.content_part.added", { ...place(), part: partOf(kind, "") });
      }
      text += piece;
      if (piece === "") return;
      if (kind === "refusal") emit("response.refusal.delta", { ...place(), delta: piece });
      else
        emit("response.output_text.delta", {
          item_id: id,
          output_index,
          content_index: content.length,
          delta: piece,
          logprobs: [],
        });
    },
    end(status) {
      endPart();
      const whole = item(status);
      emit("response.output_item.done", { output_index, item: whole });
      return whole;
    },
  };
}
