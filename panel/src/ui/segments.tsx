/** One of a few values, all of them in sight: by arrow keys, as radio buttons are chosen. */
import { useId } from "react";
import type { ReactNode } from "react";
import type { Option } from "./select.tsx";

interface SegmentsProps<Value extends string> {
  /** For screen readers: what is chosen. */
  readonly label: string;
  readonly value: Value;
  onChange(value: Value): void;
  readonly options: readonly Option<Value>[];
}

export function Segments<Value extends string>({
  label,
  value,
  onChange,
  options,
}: SegmentsProps<Value>): ReactNode {
  const name = useId();
  return (
    <fieldset className="segments">
      <legend className="unseen">{label}</legend>
      {options.map((option) => (
        <label key={option.value} className="segment">
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            disabled={option.disabled}
            onChange={() => onChange(option.value)}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </fieldset>
  );
}
