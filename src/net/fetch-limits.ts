/**
 * How long, how slow and how many: the bounds of every fetch for a caller, beside those that the
 * call itself names.
 */
export interface FetchLimits {
  readonly nameMs: number;
  readonly connectMs: number;
  /**
   * From the connection to the end of the headers; a POST waits for its answer until its deadline.
   */
  readonly headersMs: number;
  /**
   * Silence within the body. Stands still, as `minBytesPerSecond` does, while the reader of the
   * body is not ready for more.
   */
  readonly idleMs: number;
  /** On average over each window of `windowMs`. */
  readonly minBytesPerSecond: number;
  readonly windowMs: number;
  readonly headerBytes: number;
  /** At the same time, downloads and posts counted apart. */
  readonly perHost: number;
}

export const FETCH_LIMITS: FetchLimits = {
  nameMs: 6_000,
  connectMs: 8_000,
  headersMs: 8_000,
  idleMs: 8_000,
  minBytesPerSecond: 8 * 1024,
  windowMs: 10_000,
  headerBytes: 16 * 1024,
  perHost: 8,
};
