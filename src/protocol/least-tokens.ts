/**
 * A cheap lower bound of how many tokens a text is: for what is saved before anything was counted,
 * in case the process dies.
 */

const APOSTROPHE = 0x27;

/**
 * Letters and digits; all that is not ASCII is taken for a letter, so that words that stand
 * together there count as one.
 */
function isWordUnit(unit: number): boolean {
  return (
    unit >= 0x80 ||
    ((unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a) ||
    (unit >= 0x30 && unit <= 0x39)
  );
}

/**
 * How many words there are: o200k_base never joins two into one token (`don't` counts as one here,
 * as it may there). O(length), about a nanosecond for each character, no allocation.
 */
export function leastTokens(text: string): number {
  let words = 0;
  let inWord = false;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === APOSTROPHE) continue;
    const isWord = isWordUnit(unit);
    if (isWord && !inWord) words += 1;
    inWord = isWord;
  }
  return words;
}
