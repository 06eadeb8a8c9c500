/** One of several values: the browser's own list, which every phone and screen reader knows. */
import type { ReactNode } from "react";
import { Field } from "./field.tsx";
import type { FieldFrame } from "./field.tsx";

export interface Option<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly disabled?: boolean;
}

interface SelectProps<Value extends string> extends FieldFrame {
  readonly value: Value;
  onChange(value: Value): void;
  readonly options: readonly Option<Value>[];
  readonly disabled?: boolean;
}

export function Select<Value extends string>({
  value,
  onChange,
  options,
  disabled,
  ...frame
}: SelectProps<Value>): ReactNode {
  return (
    <Field {...frame}>
      {(marks) => (
        <select
          {...marks}
          className="control select"
          value={value}
          disabled={disabled}
          onChange={(event) => {
            const chosen = options.find((option) => option.value === event.target.value);
            if (chosen !== undefined) onChange(chosen.value);
          }}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value} disabled={option.disabled}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
