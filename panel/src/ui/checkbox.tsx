/** Yes or no, as a box to tick, and several of them as one question. */
import { useId } from "react";
import type { ReactNode } from "react";

interface CheckboxProps {
  readonly label: ReactNode;
  readonly checked: boolean;
  onChange(checked: boolean): void;
  readonly hint?: ReactNode;
  readonly disabled?: boolean;
}

export function Checkbox({ label, checked, onChange, hint, disabled }: CheckboxProps): ReactNode {
  const id = useId();
  return (
    <div className="checkbox">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        disabled={disabled}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => onChange(event.target.checked)}
      />
      <label htmlFor={id}>{label}</label>
      {hint === undefined ? null : (
        <p id={`${id}-hint`} className="field-hint">
          {hint}
        </p>
      )}
    </div>
  );
}

interface CheckboxListProps<Value extends string> {
  readonly label: string;
  readonly options: readonly { readonly value: Value; readonly label: ReactNode }[];
  readonly value: readonly Value[];
  onChange(value: readonly Value[]): void;
  readonly hint?: ReactNode;
}

export function CheckboxList<Value extends string>({
  label,
  options,
  value,
  onChange,
  hint,
}: CheckboxListProps<Value>): ReactNode {
  return (
    <fieldset className="field checkbox-list">
      <legend className="field-label">{label}</legend>
      {hint === undefined ? null : <p className="field-hint">{hint}</p>}
      <div className="checkbox-list-box">
        {options.map((option) => (
          <Checkbox
            key={option.value}
            label={option.label}
            checked={value.includes(option.value)}
            onChange={(checked) =>
              onChange(
                checked ? [...value, option.value] : value.filter((one) => one !== option.value),
              )
            }
          />
        ))}
      </div>
    </fieldset>
  );
}
