/** Which rows are marked, by their keys. */
import { useMemo, useState } from "react";

export interface Marks {
  readonly size: number;
  has(key: string): boolean;
  set(key: string, on: boolean): void;
  replace(keys: readonly string[]): void;
}

export function useMarks(): Marks {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  return useMemo(
    () => ({
      size: keys.size,
      has: (key: string) => keys.has(key),
      set: (key: string, on: boolean) =>
        setKeys((before) => {
          const next = new Set(before);
          if (on) next.add(key);
          else next.delete(key);
          return next;
        }),
      replace: (next: readonly string[]) => setKeys(new Set(next)),
    }),
    [keys],
  );
}
