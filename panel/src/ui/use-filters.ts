/**
 * The filters of a page, kept in its address: they survive a reload, and a link shows the same to
 * another member.
 */
import { useNavigate, useSearch } from "@tanstack/react-router";

/** What a field needs that filters. */
export interface FilterField {
  readonly value: string;
  onChange(value: string): void;
}

export interface Filters<Name extends string> {
  /** Empty: not filtered by it. */
  readonly values: Readonly<Record<Name, string>>;
  /** For a field: `<Select {...filters.of("model")} />`. */
  of(name: Name): FilterField;
  set(values: Partial<Record<Name, string>>): void;
  reset(): void;
  /** Whether any of them is set otherwise than at first. */
  readonly active: boolean;
}

/** @param first what each filter is without a word about it in the address. */
export function useFilters<Name extends string>(
  first: Readonly<Record<Name, string>>,
): Filters<Name> {
  const search: Readonly<Record<string, string | undefined>> = useSearch({ strict: false });
  const navigate = useNavigate();
  const names = Object.keys(first) as Name[];
  const values = Object.fromEntries(
    names.map((name) => [name, search[name] ?? first[name]]),
  ) as Record<Name, string>;
  const go = (next: Readonly<Record<string, string | undefined>>): void => {
    void navigate({
      to: ".",
      search: (before) => ({ ...before, ...next }),
      replace: true,
      resetScroll: false,
    });
  };
  const set = (next: Partial<Record<Name, string>>): void =>
    go(
      Object.fromEntries(
        (Object.entries(next) as [Name, string][]).map(([name, value]) => [
          name,
          value === first[name] ? undefined : value,
        ]),
      ),
    );
  return {
    values,
    set,
    of: (name) => ({
      value: values[name],
      onChange: (value) => set({ [name]: value } as Partial<Record<Name, string>>),
    }),
    reset: () => go(Object.fromEntries(names.map((name) => [name, undefined]))),
    active: names.some((name) => values[name] !== first[name]),
  };
}
