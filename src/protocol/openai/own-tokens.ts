/**
 * Tells upstreams whose every piece of a stream counts its own tokens alone from those that tell
 * running totals.
 */
import { estimateCentitokens } from "../estimate-tokens.ts";

/** The estimate is a bound; the usual count is less (README). */
const UPPER_TO_USUAL_ESTIMATE = 1.35;

/**
 * More than a word of most texts: what stands before a piece, so that the piece is measured as a
 * part of it.
 */
const TAIL_CHARACTERS = 24;

/**
 * A running total grows with every piece that has text, and its last word is about what all of the
 * text comes to. So statements are the pieces' own only where all of this holds: every piece of
 * content has one; at least half of them are no larger than the one before; and the last one is
 * less than half of what the text so far usually comes to, which no total can be. The sum is then
 * what is told, but never more than the upper estimate of the text that came: a wrong guess bills
 * no more than a count would hold. In doubt the last word counts, which is never more than the
 * truth; of several choices each may have totals of its own, so they are never added.
 */
export class OwnTokens {
  #statements = 0;
  #withoutGrowth = 0;
  #added = 0;
  #last = 0;
  #centitokens = 0;
  #excluded = false;
  #tail = "";

  /** A piece of content came without a statement. */
  silent(): void {
    this.#excluded = true;
  }

  /** One statement of output tokens, in a piece with this text. */
  addReported(tokens: number, text: string, ofSeveralChoices: boolean): void {
    if (this.#excluded) return;
    this.#excluded = ofSeveralChoices;
    if (text !== "") this.#measure(text);
    if (tokens === 0) return;
    if (this.#statements > 0 && tokens <= this.#last) this.#withoutGrowth += 1;
    this.#statements += 1;
    this.#added += tokens;
    this.#last = tokens;
  }

  /** Pieces may be smaller than a token, so each is measured where it stands. */
  #measure(text: string): void {
    const standing = this.#tail + text;
    this.#centitokens += Math.max(
      0,
      estimateCentitokens(standing) - estimateCentitokens(this.#tail),
    );
    this.#tail = standing.slice(-TAIL_CHARACTERS);
  }

  /**
   * The sum of the statements where they are the pieces' own; null where the last one is the total.
   */
  get sum(): number | null {
    if (this.#excluded || this.#statements < 2 || this.#withoutGrowth * 2 < this.#statements - 1)
      return null;
    const most = this.#centitokens / 100;
    if (this.#last * 2 >= most / UPPER_TO_USUAL_ESTIMATE) return null;
    return Math.max(this.#last, Math.min(this.#added, Math.floor(most)));
  }
}
