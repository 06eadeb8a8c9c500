/**
 * Cuts a text into the pieces a stream delivers: word by word with the space before it, long words
 * in parts, characters whole.
 */

const PIECE = /\s*\S{1,16}|\s+/gu;

export function splitPieces(text: string): string[] {
  return text.match(PIECE) ?? [];
}
