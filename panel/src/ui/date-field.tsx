/** A calendar day, or a moment in the member's time zone, by the browser's own picker. */
import type { ReactNode } from "react";
import { useLocale } from "../i18n/locale.tsx";
import { fromLocalTime, toLocalTime } from "../i18n/local-time.ts";
import { Field } from "./field.tsx";
import type { FieldFrame } from "./field.tsx";

interface DateFieldProps extends FieldFrame {
  /** `YYYY-MM-DD`, or empty. */
  readonly value: string;
  onChange(value: string): void;
  readonly min?: string;
  readonly max?: string;
}

export function DateField({ value, onChange, min, max, ...frame }: DateFieldProps): ReactNode {
  return (
    <Field {...frame}>
      {(marks) => (
        <input
          {...marks}
          className="control"
          type="date"
          value={value}
          min={min}
          max={max}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

interface DateTimeFieldProps extends FieldFrame {
  /** ISO 8601 in UTC, or null. */
  readonly value: string | null;
  onChange(value: string | null): void;
}

export function DateTimeField({ value, onChange, ...frame }: DateTimeFieldProps): ReactNode {
  const { timeZone } = useLocale();
  return (
    <Field {...frame} hint={frame.hint ?? timeZone}>
      {(marks) => (
        <input
          {...marks}
          className="control"
          type="datetime-local"
          value={value === null ? "" : toLocalTime(value, timeZone)}
          onChange={(event) =>
            onChange(event.target.value === "" ? null : fromLocalTime(event.target.value, timeZone))
          }
        />
      )}
    </Field>
  );
}
