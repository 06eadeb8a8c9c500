/**
 * One step of an answer in no protocol's shape: what an upstream's stream (or whole answer) is read
 * into, and a caller's stream written from.
 */

/**
 * `stop-sequence` only where the upstream says that one was hit; `context-full`: the window, not
 * the limit, ended it.
 */
export type FinishReason =
  | "stop"
  | "stop-sequence"
  | "length"
  | "context-full"
  | "tool-calls"
  | "refusal";

/**
 * An answer is: `start`, then pieces in the order in which they came, then `finish`; where pieces
 * came after it, another `finish` after them, and the last one counts. Pieces of one kind that
 * follow each other belong to one block of text or thinking, until another kind comes or
 * `thinking-end` says that the block is over. Tool calls are told apart by `call` (0, 1, 2 … in the
 * order of their starts) and their pieces may interleave. What was spent is not an event: it
 * reaches the caller's stream at its end, as it was charged.
 */
export type NeutralEvent =
  | { readonly kind: "start"; readonly id: string | null; readonly model: string | null }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "refusal"; readonly text: string }
  | { readonly kind: "thinking"; readonly text: string }
  /**
   * The block of thinking before this is whole; `signature` is the upstream's seal on it, null
   * where it gave none.
   */
  | { readonly kind: "thinking-end"; readonly signature: string | null }
  | { readonly kind: "redacted-thinking"; readonly data: string }
  /**
   * `seal` is the upstream's own on the call, where it gave one: it may refuse the next turn
   * without it.
   */
  | {
      readonly kind: "tool-start";
      readonly call: number;
      readonly id: string;
      readonly name: string;
      readonly seal?: string;
    }
  /** A piece of the JSON text of the arguments. */
  | { readonly kind: "tool-arguments"; readonly call: number; readonly json: string }
  | {
      readonly kind: "finish";
      readonly reason: FinishReason;
      readonly stopSequence: string | null;
    };

/** The same event with another text; null for an event that is more than a piece of text. */
export function withText(event: NeutralEvent, text: string): NeutralEvent | null {
  switch (event.kind) {
    case "text":
    case "refusal":
    case "thinking":
      return { kind: event.kind, text };
    case "tool-arguments":
      return { kind: "tool-arguments", call: event.call, json: text };
    default:
      return null;
  }
}
