/** Several lines of text. */
import type { ReactNode, TextareaHTMLAttributes } from "react";
import { Field, takeFrame } from "./field.tsx";
import type { FieldFrame } from "./field.tsx";

interface TextAreaProps
  extends
    FieldFrame,
    Pick<
      TextareaHTMLAttributes<HTMLTextAreaElement>,
      | "disabled"
      | "maxLength"
      | "name"
      | "placeholder"
      | "required"
      | "rows"
      | "spellCheck"
      | "onKeyDown"
    > {
  readonly value: string;
  onChange(value: string): void;
  /** In letters of one width: for code. */
  readonly code?: boolean;
}

export function TextArea(props: TextAreaProps): ReactNode {
  const [frame, { value, onChange, code = false, rows = 4, ...passed }] = takeFrame(props);
  return (
    <Field {...frame}>
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
