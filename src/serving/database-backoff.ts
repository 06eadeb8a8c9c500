/** How work that may not be lost waits while the database is out of reach. */
import type { Backoff } from "../kernel/backoff.ts";

/**
 * Short enough for a caller that waits for its last byte; what waited together does not fall upon
 * the database together when it is back.
 */
export const DATABASE_BACKOFF: Backoff = { firstMs: 250, longestMs: 2_000 };
