/** On or off, at once. */
import { useId } from "react";
import type { ReactNode } from "react";

interface SwitchProps {
  readonly label: ReactNode;
  readonly checked: boolean;
  onChange(checked: boolean): void;
  readonly disabled?: boolean;
}

export function Switch({ label, checked, onChange, disabled }: SwitchProps): ReactNode {
  const id = useId();
  return (
    <span className="switch">
      <input
        id={id}
        type="checkbox"
        role="switch"
        aria-checked={checked}
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      <label htmlFor={id}>{label}</label>
    </span>
  );
}
