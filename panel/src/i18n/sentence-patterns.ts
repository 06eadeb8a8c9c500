/** Sentences of the API known by their shape, each with the same in Russian. */

/** A sentence of the API, and the same in Russian with what stood in its gaps. */
export type Pattern = readonly [RegExp, (...gaps: string[]) => string];

/** What the first of the patterns that fits says in Russian; null where none does. */
export function sayByPattern(patterns: readonly Pattern[], message: string): string | null {
  for (const [pattern, say] of patterns) {
    const found = pattern.exec(message);
    if (found !== null) return say(...found.slice(1));
  }
  return null;
}
