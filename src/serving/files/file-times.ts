/** How long things around files may take before another process clears up behind them. */

/** From a file's first byte to its last. */
export const UPLOAD_DEADLINE_MS = 2 * 60 * 60_000;
/** Nothing of an upload this old can still be written: what is left of it is rubbish. */
export const ABANDONED_AFTER_MS = UPLOAD_DEADLINE_MS + 15 * 60_000;
/**
 * A bucket tells when a write began, a folder when it last went on: there a silence is enough,
 * longer than any sender is allowed. A write that goes on all the same fails, and leaves nothing.
 */
export const UNFINISHED_AFTER_MS = { s3: ABANDONED_AFTER_MS, local: 10 * 60_000 } as const;
/** How long a file that is over is remembered as gone; after that it was never there. */
export const GONE_KEPT_MS = 30 * 86_400_000;
