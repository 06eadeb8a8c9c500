/** The known name that a mistyped one most likely meant. */

/** Longer texts are not names; comparing them would be work for nothing. */
const LONGEST_NAME = 64;

/**
 * Returns the known name nearest to `given`, or null when none is near: at most a third of its
 * letters may differ. Case, `-` and `_` do not count, so that `cached_input` finds `cachedInput`.
 */
export function nearestName(given: string, known: Iterable<string>): string | null {
  if (given.length > LONGEST_NAME) return null;
  const wanted = plain(given);
  let best: string | null = null;
  let bestDistance = Infinity;
  for (const name of known) {
    if (name.length > LONGEST_NAME) continue;
    const candidate = plain(name);
    const distance = editDistance(wanted, candidate);
    if (
      distance < bestDistance &&
      distance <= Math.max(1, Math.floor(candidate.length / 3)) &&
      distance < candidate.length
    ) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_ ]/g, "");
}

/** Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}
