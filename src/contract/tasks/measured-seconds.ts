/** How measured lengths are compared with declared ones. */

/**
 * Codecs pad: what is sold as ten seconds may measure 10.05. Less than this beyond a bound is
 * within it; the check of single files in the media room allows the same.
 */
export const SECONDS_TOLERANCE = 0.1;

/** 7.4 needs 8 declared seconds, 5.05 needs 5. */
export function secondsToDeclare(measured: number): number {
  return Math.max(1, Math.ceil(measured - SECONDS_TOLERANCE));
}

/** For sentences: three digits after the point at most. */
export function shownSeconds(measured: number): number {
  return Math.round(measured * 1000) / 1000;
}
