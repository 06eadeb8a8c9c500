/**
 * A cheap estimate of how many tokens a text is, meant to be an upper bound: for holds, never for
 * charges.
 */
import { CYRILLIC_FOLLOWERS, LATIN_FOLLOWERS } from "./letter-pairs.ts";

/**
 * All costs are in hundredths of a token, set against o200k_base over the corpora of the test; the
 * README has the figures.
 */
const TOKEN = 100;
const LATIN = { word: TOKEN, pair: 9, oddPair: 80, upper: 6 };
const CYRILLIC = { word: TOKEN, pair: 22, oddPair: 106, upper: 45 };
const SIGN = { first: TOKEN, next: 76, same: 8 };
const SAME_WHITE = 10;
/** Within a run of spaces after its first token; one single space belongs to the word after it. */
const SPACE_IN_RUN = 2;
/** No cost but a mark: the cost depends on how far into a run of digits or spaces this is. */
const RUN = 255;

const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39;
const isLatin = (unit: number): boolean => (unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a;
const isSign = (unit: number): boolean =>
  unit > 0x20 && unit < 0x7f && !isDigit(unit) && !isLatin(unit);

interface WordCosts {
  readonly word: number;
  readonly pair: number;
  readonly oddPair: number;
  readonly upper: number;
}

/** What `letter` costs after another letter; a rise in case begins a new word. */
function letterCost(
  costs: WordCosts,
  followers: Record<string, string>,
  previous: string,
  letter: string,
): number {
  const upper = letter !== letter.toLowerCase();
  if (upper && previous === previous.toLowerCase()) return costs.word;
  const common = (followers[previous.toLowerCase()] ?? "").includes(letter.toLowerCase());
  return (common ? costs.pair : costs.oddPair) + (upper ? costs.upper : 0);
}

/**
 * What an ASCII character costs after another one (0 stands for the beginning and for everything
 * that is not ASCII).
 */
function asciiCost(previous: number, unit: number): number {
  if (isLatin(unit)) {
    if (!isLatin(previous)) return LATIN.word;
    return letterCost(
      LATIN,
      LATIN_FOLLOWERS,
      String.fromCharCode(previous),
      String.fromCharCode(unit),
    );
  }
  if (isDigit(unit)) {
    if (isDigit(previous)) return RUN;
    // The space before a number is a token of its own.
    return previous === 0x20 ? 2 * TOKEN : TOKEN;
  }
  if (isSign(unit))
    return !isSign(previous) ? SIGN.first : previous === unit ? SIGN.same : SIGN.next;
  if (unit === 0x20) return previous === 0x20 ? RUN : 0;
  if (unit === 0x09 || unit === 0x0a || unit === 0x0d) {
    return previous === unit || (previous === 0x0d && unit === 0x0a) ? SAME_WHITE : TOKEN;
  }
  return TOKEN + 5;
}

/** `asciiCost` for all pairs: 128 × 128 bytes. */
const ASCII_COSTS = Uint8Array.from({ length: 128 * 128 }, (_, index) =>
  asciiCost(index >> 7, index & 127),
);

const FIRST_CYRILLIC = 0x410;
const LAST_CYRILLIC = 0x44f;
/** А to я after one another: 64 × 64 bytes. */
const CYRILLIC_COSTS = Uint8Array.from({ length: 64 * 64 }, (_, index) =>
  letterCost(
    CYRILLIC,
    CYRILLIC_FOLLOWERS,
    String.fromCharCode(FIRST_CYRILLIC + (index >> 6)),
    String.fromCharCode(FIRST_CYRILLIC + (index & 63)),
  ),
);

const isRussian = (unit: number): boolean => unit >= FIRST_CYRILLIC && unit <= LAST_CYRILLIC;

/** What a Russian letter costs after another one. */
function russianCost(previous: number, unit: number): number {
  return CYRILLIC_COSTS[((previous - FIRST_CYRILLIC) << 6) | (unit - FIRST_CYRILLIC)] ?? TOKEN;
}

/**
 * Per UTF-16 unit of everything that is not ASCII or Russian; the last unit of each range,
 * ascending.
 */
const RANGES: readonly (readonly [lastUnit: number, cost: number])[] = [
  [0xff, 126], // Latin-1 signs and letters
  [0x24f, 185], // Latin extended
  [0x2ff, 200],
  [0x36f, 200], // combining marks
  [0x3ff, 100], // Greek
  [0x52f, 185], // Cyrillic beyond Russian
  [0x5cf, 200],
  [0x5ff, 90], // Hebrew
  [0x6ff, 110], // Arabic
  [0x8ff, 210],
  [0xe7f, 130], // the scripts of India, Thai
  [0x109f, 300],
  [0x10ff, 110], // Georgian
  [0x11ff, 300],
  [0x137f, 215], // Ethiopic
  [0x1fff, 300],
  [0x2bff, 255], // signs and arrows
  [0x2fff, 300],
  [0x30ff, 130], // kana
  [0x33ff, 300],
  [0x4dbf, 310], // rare Chinese
  [0x9fff, 205], // Chinese
  [0xabff, 300],
  [0xd7a3, 240], // Hangul
  [0xd7ff, 300],
  [0xfdff, 300],
  [0xfe0f, 200], // variation selectors
  [0xffff, 300],
];

/**
 * The first halves of the pairs of U+1F000 to U+1FFFF, the emoji; a half of any other pair is
 * dearer.
 */
const FIRST_EMOJI_HIGH = 0xd83c;
const LAST_EMOJI_HIGH = 0xd83f;
const EMOJI_HALF = 145;
const ASTRAL_HALF = 205;

function otherCost(unit: number, previous: number): number {
  if (unit >= 0xd800 && unit <= 0xdfff) {
    const high = unit <= 0xdbff ? unit : previous;
    return high >= FIRST_EMOJI_HIGH && high <= LAST_EMOJI_HIGH ? EMOJI_HALF : ASTRAL_HALF;
  }
  let low = 0;
  let high = RANGES.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (unit <= (RANGES[middle]?.[0] ?? 0)) high = middle;
    else low = middle + 1;
  }
  return RANGES[low]?.[1] ?? 3 * TOKEN;
}

/** Shorter texts are copied unit by unit: the native copy pays off only beyond. */
const NATIVE_COPY_UNITS = 24;
/**
 * Where a text is copied to, piece by piece: reading a list of numbers is several times faster than
 * asking a string for each of its units. Nothing is read from it that the same call has not
 * written.
 */
const PIECE = new Uint16Array(4096);
const PIECE_BYTES = Buffer.from(PIECE.buffer);

/**
 * Copies what begins at `start`, as much as the piece holds; returns how many units that is. The
 * copy is little-endian, as are all our platforms.
 */
function copyPiece(text: string, start: number): number {
  if (text.length > NATIVE_COPY_UNITS)
    return (
      PIECE_BYTES.write(start === 0 ? text : text.slice(start, start + PIECE.length), "utf16le") >>
      1
    );
  for (let i = 0; i < text.length; i++) PIECE[i] = text.charCodeAt(i);
  return text.length;
}

/** No cost of a common ASCII pair reaches it; RUN and the number after a space do. */
const RARE = 128;

/**
 * Hundredths of a token. Words cost one token and a little for each further letter, much for
 * letters that do not go together (random text), and begin anew where the case rises; digits cost
 * one token per three; signs and white space go by runs; other scripts cost a fixed amount for each
 * UTF-16 unit. O(length), next to no allocation.
 */
export function estimateCentitokens(text: string): number {
  let total = 0;
  let previous = 0;
  let run = 1;
  for (let start = 0; start < text.length; start += PIECE.length) {
    const length = copyPiece(text, start);
    let i = 0;
    while (i < length) {
      const unit = PIECE[i++] ?? 0;
      if (unit < 128) {
        const cost = ASCII_COSTS[(previous < 128 ? previous << 7 : 0) | unit] ?? TOKEN;
        previous = unit;
        if (cost === RUN) {
          run += 1;
          if (unit === 0x20) total += run === 2 ? TOKEN : SPACE_IN_RUN;
          else if (run % 3 === 1) total += TOKEN;
          continue;
        }
        total += cost;
        run = 1;
        // Most text is common ASCII pairs: four of them at a time, as long as there is nothing else
        // among them.
        while (i + 4 <= length) {
          const a = PIECE[i] ?? 0;
          const b = PIECE[i + 1] ?? 0;
          const c = PIECE[i + 2] ?? 0;
          const d = PIECE[i + 3] ?? 0;
          if ((a | b | c | d) >= 128) break;
          const costA = ASCII_COSTS[(previous << 7) | a] ?? TOKEN;
          const costB = ASCII_COSTS[(a << 7) | b] ?? TOKEN;
          const costC = ASCII_COSTS[(b << 7) | c] ?? TOKEN;
          const costD = ASCII_COSTS[(c << 7) | d] ?? TOKEN;
          if ((costA | costB | costC | costD) >= RARE) break;
          total += costA + costB + costC + costD;
          previous = d;
          i += 4;
        }
      } else if (isRussian(unit)) {
        total += isRussian(previous) ? russianCost(previous, unit) : CYRILLIC.word;
        previous = unit;
        // To the end of the word.
        for (; i < length; i++) {
          const next = PIECE[i] ?? 0;
          if (!isRussian(next)) break;
          total += russianCost(previous, next);
          previous = next;
        }
      } else {
        total += otherCost(unit, previous);
        previous = unit;
      }
    }
  }
  // A space at the very end has no word to belong to.
  return previous === 0x20 && run === 1 ? total + TOKEN : total;
}

/**
 * Whole tokens: at least the o200k count for every corpus of the test, at most about twice that for
 * ordinary Russian, English and code.
 */
export function upperEstimate(text: string): number {
  return Math.ceil(estimateCentitokens(text) / TOKEN);
}
