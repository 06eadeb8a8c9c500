/** Filters by one of several values; at first by none of them. */
import type { ReactNode } from "react";
import { useWords } from "../i18n/use-words.ts";
import { Select } from "./select.tsx";
import type { Option } from "./select.tsx";
import type { FilterField } from "./use-filters.ts";

interface FilterSelectProps extends FilterField {
  readonly label: string;
  readonly options: readonly Option<string>[];
  /** What stands for no filter; by default: all. */
  readonly all?: string;
  /** The label is for screen readers only. */
  readonly quietLabel?: boolean;
  /** Names a value that the address still asks for, though it is not offered any more. */
  goneLabel?(value: string): string;
}

export function FilterSelect({
  options,
  all,
  goneLabel,
  value,
  ...rest
}: FilterSelectProps): ReactNode {
  const words = useWords();
  const offered = [{ value: "", label: all ?? words.all }, ...options];
  const gone = goneLabel !== undefined && !offered.some((option) => option.value === value);
  return (
    <Select
      {...rest}
      value={value}
      options={gone ? [...offered, { value, label: goneLabel(value) }] : offered}
    />
  );
}
