/** Several lines of text. */
import type { ReactNode, TextareaHTMLAttributes } from "react";
import { Field } from "./field.tsx";
import type { FieldFrame } from "./field.tsx";

interface TextAreaProps
  extends
    FieldFrame,
    Pick<
      TextareaHTMLAttributes<HTMLTextAreaElement>,
      "disabled" | "maxLength" | "name" | "placeholder" | "required" | "rows" | "spellCheck" | "onKeyDown"
    > {
  readonly value: string;
  onChange(value: string): void;
  /** In letters of one width: for code. */
  readonly code?: boolean;
}

export function TextArea({
  label,
  hint,
  error,
  optional,
  quietLabel,
  value,
  onChange,
  code = false,
  rows = 4,
  ...passed
}: TextAreaProps): ReactNode {
  return (
    <Field label={label} hint={hint} error={error} {...(optional && { optional })} {...(quietLabel && { quietLabel })}>
      {(marks) => (
        <textarea
          {...passed}
          {...marks}
          rows={rows}
          className={code ? "control code" : "control"}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
