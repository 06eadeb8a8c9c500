/** How large a batch may be, how much of it runs at once, and how long anything of it may take. */

/** As the vendors have them. */
export const MOST_LINES = 50_000;
/** A line, or a request of a message batch. Lines are held in memory while they run. */
export const LINE_LIMIT_BYTES = 8 * 1024 * 1024;
export const CUSTOM_ID_LIMIT = 512;
/** More are told of no file: reading stops there. */
export const MOST_MISTAKES = 100;
/** Of one account at once. */
export const MOST_UNFINISHED = 100;
/** After its end a batch is remembered for so long. */
export const FORGOTTEN_AFTER_DAYS = 30;
/** The results of a message batch are there so long after it was made, as the vendor has it. */
export const RESULTS_LIVE_SECONDS = 29 * 24 * 3600;
/** A file that a batch reads lives at least as long as the batch. */
export const INPUT_LIVES_SECONDS = 25 * 3600;

export interface BatchPace {
  /** Lines that one process runs at once, and of them those of one account. */
  readonly linesAtOnce: number;
  readonly linesOfAccount: number;
  /** Batches that one process validates or finalizes at once. */
  readonly batchesAtOnce: number;
  /** After so long without a word of its process, work is taken over by another one. */
  readonly leaseMs: number;
  /** Between two looks for work. */
  readonly lookMs: number;
  /** How often a line is tried that upstreams refuse for reasons of theirs, and the pauses between. */
  readonly mostTries: number;
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** Between two looks at a batch of an upstream's: at first, and when it is old. */
  readonly pollMs: number;
  readonly longestPollMs: number;
  /** So long after its submission a batch that an upstream does not know was never made. */
  readonly unknownMs: number;
}

/** Interactive requests come first: of a process that serves both, batches take a small part. */
export const BATCH_PACE: BatchPace = {
  linesAtOnce: 16,
  linesOfAccount: 8,
  batchesAtOnce: 2,
  leaseMs: 60_000,
  lookMs: 1_000,
  mostTries: 10,
  firstPauseMs: 2_000,
  longestPauseMs: 15 * 60_000,
  pollMs: 5_000,
  longestPollMs: 60_000,
  unknownMs: 240_000,
};
