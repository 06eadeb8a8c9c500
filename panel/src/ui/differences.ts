/** Which settings another change left otherwise, in words, and what was typed over them. Pure. */

/** A setting in words. */
export type Setting = readonly [label: string, text: string];

export interface Difference {
  readonly label: string;
  readonly before: string;
  readonly now: string;
}

/** Both with the same labels, in the same order. */
export function differencesOf(
  before: readonly Setting[],
  now: readonly Setting[],
): readonly Difference[] {
  return before.flatMap(([label, text], at) => {
    const other = now[at]?.[1] ?? "";
    return other === text ? [] : [{ label, before: text, now: other }];
  });
}

/** What was typed over the values as they are now: where nothing was typed, those stand. */
export function valuesOver<Values extends object>(
  seen: Values,
  now: Values,
  typed: Values,
): Values {
  const before = new Map<string, unknown>(Object.entries(seen));
  const changed = Object.entries(typed).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before.get(name)),
  );
  return { ...now, ...Object.fromEntries(changed) };
}
