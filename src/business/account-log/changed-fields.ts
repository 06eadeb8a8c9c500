/** What of a thing differs between before and after: what its line in the log tells. */

export type Facts = Readonly<Record<string, unknown>>;

/** Null: nothing does. */
export function changedFields(
  before: Facts,
  after: Facts,
): { readonly before: Facts; readonly after: Facts } | null {
  const names = Object.keys(after).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  if (names.length === 0) return null;
  const only = (of: Facts): Facts => Object.fromEntries(names.map((name) => [name, of[name]]));
  return { before: only(before), after: only(after) };
}
