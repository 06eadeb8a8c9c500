/** Which rows of a list came since it was looked at last. Pure. */

export const NO_ROWS: ReadonlySet<string> = new Set();

/**
 * Those that stand above one that was there when it was looked at last: what stands below all of
 * them was only asked for. Null: nothing was looked at yet.
 */
export function newcomers(
  known: ReadonlySet<string> | null,
  ids: readonly string[],
): ReadonlySet<string> {
  if (known === null) return NO_ROWS;
  const last = ids.findLastIndex((id) => known.has(id));
  return new Set(ids.slice(0, last + 1).filter((id) => !known.has(id)));
}
