/** Says when an event is worth learning: where events turn out not to repeat, ever more rarely. */

/** So many repetitions pay for having learnt an event. */
const WORTH_IT = 4;
const MOST_SKIPPED = 255;

export class LearningPace {
  #found = 0;
  #skip = 0;
  #skipNext = 1;

  /** Asked once for each event that could be learnt. */
  mayLearn(): boolean {
    if (this.#skip > 0) {
      this.#skip -= 1;
      return false;
    }
    this.#skip = this.#skipNext;
    this.#skipNext = Math.min(2 * this.#skipNext + 1, MOST_SKIPPED);
    return true;
  }

  /** The learnt event was repeated. */
  repeated(): void {
    this.#found += 1;
  }

  /** What was learnt is over. */
  forgotten(): void {
    if (this.#found >= WORTH_IT) {
      this.#skip = 0;
      this.#skipNext = 1;
    }
    this.#found = 0;
  }
}
