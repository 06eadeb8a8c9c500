/** The o200k token count of a text, for billing what was delivered when the upstream gave no usage. */
import { setImmediate } from "node:timers/promises";

/** The tokenizer's work is quadratic in the length of one unbroken run, so texts go to it in pieces of at most this size. */
const PIECE_CHARACTERS = 1000;
/** A piece ends between two words where there is such a place this close to its end: a cut there changes no token. */
const CUT_SEARCH_CHARACTERS = 300;
/** More pieces than these are sampled: evenly spread, their count scaled to the whole. */
const MAX_PIECES = 256;
/** Other work of the process goes in between after so many pieces. */
const PIECES_BEFORE_PAUSE = 8;
/** Entries of the tokenizer's own cache, each up to a piece long. */
const CACHE_ENTRIES = 10_000;

const LETTER = /\p{L}/u;

/** Before a word with its space, or at a line that begins with a word: texts cut there have together the tokens of the whole. */
export function isBetweenWords(text: string, position: number): boolean {
  const before = text.charAt(position - 1);
  const after = text.charAt(position);
  if (after === " ") return before > " " && LETTER.test(text.charAt(position + 1));
  return before === "\n" && LETTER.test(after);
}

/** Where the piece that begins at `start` ends; never inside a surrogate pair. */
function pieceEnd(text: string, start: number): number {
  const end = start + PIECE_CHARACTERS;
  if (end >= text.length) return text.length;
  for (let i = end; i > end - CUT_SEARCH_CHARACTERS; i--) {
    if (isBetweenWords(text, i)) return i;
  }
  const unit = text.charCodeAt(end);
  return unit >= 0xdc00 && unit <= 0xdfff ? end - 1 : end;
}

/** The pieces to count, as [start, end] pairs: all of the text where it is not too long, else an even sample. */
function piecesOf(text: string): [start: number, end: number][] {
  const pieces: [number, number][] = [];
  const all = text.length <= PIECE_CHARACTERS * MAX_PIECES;
  if (all) {
    for (let start = 0; start < text.length;) {
      const end = pieceEnd(text, start);
      pieces.push([start, end]);
      start = end;
    }
    return pieces;
  }
  for (let n = 0; n < MAX_PIECES; n++) {
    const start = Math.floor(((text.length - PIECE_CHARACTERS) * n) / (MAX_PIECES - 1));
    pieces.push([start, start + PIECE_CHARACTERS]);
  }
  return pieces;
}

/**
 * Exact for texts up to about 250,000 characters, but for a token or so where a text has no place between words for hundreds of
 * characters; longer ones are sampled, so the work is bounded whatever the text. Names of special tokens in the text count as plain text. Never throws; the same text always
 * gives the same count. The tokenizer is loaded at the first call (0.1 s).
 */
export async function countTokens(text: string): Promise<number> {
  if (text === "") return 0;
  const tokenizer = await import("gpt-tokenizer/encoding/o200k_base");
  tokenizer.setMergeCacheSize(CACHE_ENTRIES);
  const asPlainText = { disallowedSpecial: new Set<string>() };
  const pieces = piecesOf(text);
  let tokens = 0;
  let characters = 0;
  for (const [n, [start, end]] of pieces.entries()) {
    tokens += tokenizer.countTokens(text.slice(start, end), asPlainText);
    characters += end - start;
    if (n % PIECES_BEFORE_PAUSE === PIECES_BEFORE_PAUSE - 1) await setImmediate();
  }
  return characters === text.length ? tokens : Math.ceil((tokens * text.length) / characters);
}
