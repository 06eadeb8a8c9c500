/**
 * A filter that is typed: it goes into the address when the typing rests, and only when it can mean
 * something.
 */
import { useEffect, useRef, useState } from "react";
import type { ReactNode } from "react";
import { TextField } from "./text-field.tsx";

const REST_MS = 400;

interface FilterTextProps {
  readonly label: string;
  readonly value: string;
  onChange(value: string): void;
  /** What it has to look like; until it does, the mistake is told. */
  readonly shape?: { readonly pattern: RegExp; readonly mistake: string };
  readonly placeholder?: string;
  /** The label is for screen readers only. */
  readonly quietLabel?: boolean;
}

export function FilterText({
  label,
  value,
  onChange,
  shape,
  placeholder,
  quietLabel = false,
}: FilterTextProps): ReactNode {
  /** Null: nothing is being typed, the address counts. */
  const [typed, setTyped] = useState<string | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const wrong =
    typed !== null && typed.trim() !== "" && shape?.pattern.test(typed.trim()) === false;
  return (
    <TextField
      label={label}
      quietLabel={quietLabel}
      type="search"
      spellCheck={false}
      autoComplete="off"
      value={typed ?? value}
      error={wrong ? shape?.mistake : undefined}
      {...(placeholder === undefined ? {} : { placeholder })}
      onChange={(text) => {
        setTyped(text);
        clearTimeout(timer.current);
        const meant = text.trim();
        if (meant !== "" && shape?.pattern.test(meant) === false) return;
        timer.current = setTimeout(() => {
          onChange(meant);
          // The address has it a moment later: until then the field keeps what was typed.
          timer.current = setTimeout(() => setTyped(null), REST_MS);
        }, REST_MS);
      }}
    />
  );
}
