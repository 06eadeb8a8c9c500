/**
 * The token estimate told in the plainest way, unit by unit and without tables: what the fast one
 * must agree with for every string.
 */
import { CYRILLIC_FOLLOWERS, LATIN_FOLLOWERS } from "../../src/protocol/letter-pairs.ts";

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

const FIRST_CYRILLIC = 0x410;
const LAST_CYRILLIC = 0x44f;
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
  return RANGES.find(([lastUnit]) => unit <= lastUnit)?.[1] ?? 3 * TOKEN;
}

/** Hundredths of a token, one UTF-16 unit after the other. */
export function referenceCentitokens(text: string): number {
  let total = 0;
  let previous = 0;
  let run = 1;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 128) {
      const cost = asciiCost(previous < 128 ? previous : 0, unit);
      if (cost !== RUN) {
        total += cost;
        run = 1;
      } else {
        run += 1;
        if (unit === 0x20) total += run === 2 ? TOKEN : SPACE_IN_RUN;
        else if (run % 3 === 1) total += TOKEN;
      }
    } else if (unit >= FIRST_CYRILLIC && unit <= LAST_CYRILLIC) {
      const inWord = previous >= FIRST_CYRILLIC && previous <= LAST_CYRILLIC;
      total += inWord
        ? letterCost(
            CYRILLIC,
            CYRILLIC_FOLLOWERS,
            String.fromCharCode(previous),
            String.fromCharCode(unit),
          )
        : CYRILLIC.word;
    } else {
      total += otherCost(unit, previous);
    }
    previous = unit;
  }
  // A space at the very end has no word to belong to.
  return previous === 0x20 && run === 1 ? total + TOKEN : total;
}
