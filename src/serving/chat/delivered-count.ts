/**
 * How many tokens a running answer has delivered for certain: counted portion by portion, for what
 * is saved in case the process dies.
 */
import { isBetweenWords } from "../../protocol/count-tokens.ts";
import { LeastTokens } from "../../protocol/least-tokens.ts";

export interface DeliveredCount {
  /**
   * Counts what has come since the last time; `text` is all of the answer so far. Rejects with what
   * the counter throws, and changes nothing then.
   */
  update(text: string): Promise<void>;
  /** Notes how many there are at least, for next to nothing, until they are counted. */
  glance(text: string): void;
  /** Never more than an answer of this length really has, whatever the text. */
  atLeast(characters: number): number;
}

/** What is not counted yet is taken for the longest words there are. */
const UNCOUNTED_CHARACTERS_PER_TOKEN = 16;
const LONGEST_WORD_CHARACTERS = 32;

export function createDeliveredCount(
  countTokens: (text: string) => Promise<number>,
): DeliveredCount {
  let countedCharacters = 0;
  let tokens = 0;
  let glanced = 0;
  let glance = new LeastTokens();
  let counting = false;

  return {
    async update(text) {
      const end = portionEnd(text, countedCharacters);
      if (counting || end <= countedCharacters) return;
      counting = true;
      try {
        tokens += await countTokens(text.slice(countedCharacters, end));
        countedCharacters = end;
        glance = new LeastTokens(end);
      } finally {
        counting = false;
      }
    },
    glance(text) {
      glanced = tokens + glance.of(text);
    },
    atLeast: (characters) =>
      Math.max(
        glanced,
        tokens +
          Math.floor(Math.max(0, characters - countedCharacters) / UNCOUNTED_CHARACTERS_PER_TOKEN),
      ),
  };
}

/** Before the last word; where no word is as long as what there is, at the end. */
function portionEnd(text: string, start: number): number {
  for (let position = text.length - 2; position > start; position--)
    if (isBetweenWords(text, position)) return position;
  if (text.length - start < LONGEST_WORD_CHARACTERS) return start;
  const last = text.charCodeAt(text.length - 1);
  // Half a character is no text yet.
  return last >= 0xd800 && last <= 0xdbff ? text.length - 1 : text.length;
}
