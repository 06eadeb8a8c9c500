/**
 * The o200k token count of texts, for billing what was delivered when the upstream gave no usage,
 * and where an estimate is too much.
 */
import { setImmediate } from "node:timers/promises";

/**
 * The tokenizer's work is quadratic in the length of one unbroken run, so texts go to it in pieces
 * of at most this size.
 */
const PIECE_CHARACTERS = 1000;
/**
 * A piece ends between two words where there is such a place this close to its end: a cut there
 * changes no token.
 */
const CUT_SEARCH_CHARACTERS = 300;
/** More pieces than these are sampled: evenly spread, their count scaled to the whole. */
const MAX_PIECES = 256;
/** Other work of the process goes in between after so many pieces. */
const PIECES_BEFORE_PAUSE = 2;
/** Texts in pieces are put together to portions of this size before they are cut into pieces. */
const PORTION_CHARACTERS = 64 * 1024;
/** Entries of the tokenizer's own cache, each up to a piece long. */
const CACHE_ENTRIES = 10_000;

const LETTER = /\p{L}/u;

/**
 * Before a word with its space, or at a line that begins with a word: texts cut there have together
 * the tokens of the whole.
 */
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

type Piece = readonly [start: number, end: number];

function allPieces(text: string): Piece[] {
  const pieces: Piece[] = [];
  for (let start = 0; start < text.length;) {
    const end = pieceEnd(text, start);
    pieces.push([start, end]);
    start = end;
  }
  return pieces;
}

/** The pieces to count: all of the text where it is not too long, else an even sample. */
function piecesOf(text: string): Piece[] {
  if (text.length <= PIECE_CHARACTERS * MAX_PIECES) return allPieces(text);
  const pieces: Piece[] = [];
  for (let n = 0; n < MAX_PIECES; n++) {
    const start = Math.floor(((text.length - PIECE_CHARACTERS) * n) / (MAX_PIECES - 1));
    pieces.push([start, start + PIECE_CHARACTERS]);
  }
  return pieces;
}

/**
 * Exact for texts up to about 250,000 characters, but for a token or so where a text has no place
 * between words for hundreds of characters; longer ones are sampled, so the work is bounded
 * whatever the text. Names of special tokens in the text count as plain text. Never throws; the
 * same text always gives the same count. The tokenizer is loaded at the first call (0.1 s).
 */
export async function countTokens(text: string): Promise<number> {
  if (text === "") return 0;
  const count = await tokenizer();
  const pieces = piecesOf(text);
  let tokens = 0;
  let characters = 0;
  for (const [n, [start, end]] of pieces.entries()) {
    tokens += count(text.slice(start, end));
    characters += end - start;
    if (n % PIECES_BEFORE_PAUSE === PIECES_BEFORE_PAUSE - 1) await setImmediate();
  }
  return characters === text.length ? tokens : Math.ceil((tokens * text.length) / characters);
}

/**
 * Of a text that comes in pieces: all of it is counted, up to the piece with which the count passes
 * `stopAbove`; then there are more than that. As exact as `countTokens`, and no turn of the process
 * is longer. Throws what the pieces throw.
 */
export async function countTexts(texts: Iterable<string>, stopAbove = Infinity): Promise<number> {
  const count = await tokenizer();
  let tokens = 0;
  let counted = 0;
  for (const portion of portionsOf(texts)) {
    for (const [start, end] of allPieces(portion)) {
      tokens += count(portion.slice(start, end));
      if (tokens > stopAbove) return tokens;
      counted += 1;
      if (counted % PIECES_BEFORE_PAUSE === 0) await setImmediate();
    }
  }
  return tokens;
}

/**
 * The same text in portions that end between two words where there is such a place, so that the
 * cuts change no count.
 */
function* portionsOf(texts: Iterable<string>): Generator<string> {
  let rest = "";
  for (const text of texts) {
    rest += text;
    if (rest.length < PORTION_CHARACTERS) continue;
    let cut = rest.length - 1;
    while (cut > rest.length - CUT_SEARCH_CHARACTERS && !isBetweenWords(rest, cut)) cut -= 1;
    if (!isBetweenWords(rest, cut)) cut = rest.length;
    yield rest.slice(0, cut);
    rest = rest.slice(cut);
  }
  if (rest !== "") yield rest;
}

/**
 * Loads the tokenizer, which no other work can go on beside: a process does it as soon as it serves.
 */
export async function tokenizer(): Promise<(text: string) => number> {
  const { countTokens: count, setMergeCacheSize } =
    await import("gpt-tokenizer/encoding/o200k_base");
  setMergeCacheSize(CACHE_ENTRIES);
  const asPlainText = { disallowedSpecial: new Set<string>() };
  return (text) => count(text, asPlainText);
}
