/** Tells apart what a delta or a message says: thinking, text, refusal. */
import { isRecord } from "../json/is-record.ts";
import type { NeutralEvent } from "../neutral/neutral-event.ts";

export type AnswerPiece = Extract<NeutralEvent, { text: string }>;

/** A string, or the texts of a list of parts (some upstreams think in parts of a part). */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return "";
  return value
    .map((part: unknown) =>
      isRecord(part) && typeof part["text"] === "string" ? part["text"] : "",
    )
    .join("");
}

function readPart(part: unknown): AnswerPiece | null {
  if (!isRecord(part)) return null;
  const { type, text, thinking, refusal } = part;
  if (type === "thinking") return { kind: "thinking", text: textOf(thinking) };
  if (type === "refusal") return { kind: "refusal", text: textOf(refusal) };
  return { kind: "text", text: textOf(text) };
}

/**
 * In the order of a thinking model: thinking, text, refusal; never an empty one. Thinking goes by
 * two names, and some upstreams send it under both, or once more among the parts of the content:
 * the first that says something counts.
 */
export function answerPieces(part: Record<string, unknown>): AnswerPiece[] {
  const { content } = part;
  const pieces: AnswerPiece[] = [];
  const thought = textOf(part["reasoning_content"]) || textOf(part["reasoning"]);
  if (thought !== "") pieces.push({ kind: "thinking", text: thought });
  if (Array.isArray(content)) {
    for (const item of content) {
      const piece = readPart(item);
      if (piece !== null && piece.text !== "" && (thought === "" || piece.kind !== "thinking"))
        pieces.push(piece);
    }
  } else if (typeof content === "string" && content !== "") {
    pieces.push({ kind: "text", text: content });
  }
  const refused = textOf(part["refusal"]);
  if (refused !== "") pieces.push({ kind: "refusal", text: refused });
  return pieces;
}
