/** What one check or one test file came to. */

export interface Failure {
  /** Where it is, for people: the file, then suite and test. */
  readonly title: string;
  /** Everything there is to say, shown in full at the end. */
  readonly text: string;
}

export interface Outcome {
  readonly passed: number;
  readonly skipped: number;
  readonly failures: readonly Failure[];
  readonly durationMs: number;
}
