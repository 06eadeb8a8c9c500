/** Counts what happens, by name, for a figure of `/metrics`. */

export interface CountsByName {
  readonly counts: ReadonlyMap<string, number>;
  add(name: string): void;
}

/**
 * The names are a closed list of its caller's: one that strangers choose would grow without end.
 */
export function countBy(): CountsByName {
  const counts = new Map<string, number>();
  return { counts, add: (name) => void counts.set(name, (counts.get(name) ?? 0) + 1) };
}
