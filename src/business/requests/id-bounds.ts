/**
 * What the times of a query mean for ids, which begin with the time (UUIDv7): moments need no other
 * index than that of the ids.
 */
import type { Uuid } from "../../kernel/ids.ts";
import { firstIdAt } from "./first-id-at.ts";

export interface IdBounds {
  /** All ids are below it; null: no bound. */
  readonly cursor: Uuid | null;
  /** None is below it; null: no bound. */
  readonly floor: Uuid | null;
}

/** From the one moment on, before the other, and before the last id of the page before. */
export function idBounds({
  before,
  from,
  to,
}: {
  readonly before: Uuid | null;
  readonly from: Date | null;
  readonly to: Date | null;
}): IdBounds {
  const end = to === null ? null : firstIdAt(to);
  return {
    cursor: end !== null && (before === null || end < before) ? end : before,
    floor: from === null ? null : firstIdAt(from),
  };
}
