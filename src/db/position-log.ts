/**
 * When a primary was where in its log, by one clock of our own, so that the lag of a standby needs no
 * second clock and no writes.
 */

export interface PositionLog {
  /** @param askedMs before the primary was asked: all that was committed by then lies before it. */
  note(position: bigint, askedMs: number): void;
  /**
   * The moment up to which all is there where that much was replayed; null: it lies further back than
   * is known.
   */
  reachedMs(position: bigint): number | null;
}

/** Of one a second: ten minutes, the longest lag that may be allowed twice. */
const KEPT = 600;

export function createPositionLog(): PositionLog {
  /** By position, and so by time. */
  let noted: { readonly position: bigint; askedMs: number }[] = [];
  return {
    note(position, askedMs) {
      const last = noted.at(-1);
      // Another server is the primary now, and has not all that the first one had.
      if (last !== undefined && position < last.position) noted = [];
      // Nothing was written meanwhile.
      if (last !== undefined && position === last.position) last.askedMs = askedMs;
      else noted.push({ position, askedMs });
      if (noted.length > KEPT) noted.shift();
    },
    reachedMs: (position) => noted.findLast((each) => each.position <= position)?.askedMs ?? null,
  };
}
