/**
 * How long a connection and a request may take at the HTTP server, and how large the head of a
 * request may be.
 */

export interface Timeouts {
  /** For the head of a request. */
  readonly headersMs: number;
  /** For all of a request, bodies that may take long excepted. */
  readonly requestMs: number;
  /** How often one looks. */
  readonly checkMs: number;
  /** How long a connection may have nothing to do. */
  readonly keepAliveMs: number;
  /** How long the reader of a whole answer may take nothing. */
  readonly stalledMs?: number;
}

/**
 * All of a request may take a little more than a body may (BODY_DEADLINE_MS), so that the reader of
 * the body gets to answer first.
 */
export const TIMEOUTS: Timeouts = {
  headersMs: 20_000,
  requestMs: 70_000,
  checkMs: 5_000,
  // Longer than the usual 60 s of load balancers, so that they, not we, close idle connections: the
  // other way round loses requests.
  keepAliveMs: 75_000,
};
export const HEADERS_LIMIT_BYTES = 16 * 1024;
