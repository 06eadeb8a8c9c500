/** A line of text: a name, an e-mail, a password that can be looked at, a code. */
import { useState } from "react";
import type { InputHTMLAttributes, ReactNode } from "react";
import { useWords } from "../i18n/use-words.ts";
import { Field, takeFrame } from "./field.tsx";
import type { FieldFrame } from "./field.tsx";
import { Icon } from "./icon.tsx";

type Passed = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  | "autoComplete"
  | "autoFocus"
  | "disabled"
  | "inputMode"
  | "maxLength"
  | "minLength"
  | "name"
  | "onBlur"
  | "onInvalid"
  | "onKeyDown"
  | "onPaste"
  | "pattern"
  | "placeholder"
  | "readOnly"
  | "required"
  | "spellCheck"
  | "list"
>;

export interface TextFieldProps extends FieldFrame, Passed {
  readonly value: string;
  onChange(value: string): void;
  readonly type?: "text" | "email" | "password" | "search" | "url";
  /** Written to its right, as a unit. */
  readonly unit?: string;
  /** Why its form must not be sent, where the browser cannot know it: in a sentence. */
  readonly mistake?: string | undefined;
}

export function TextField(props: TextFieldProps): ReactNode {
  const [frame, { value, onChange, type = "text", unit, mistake, ...passed }] = takeFrame(props);
  const words = useWords();
  const [shown, setShown] = useState(false);
  return (
    <Field {...frame}>
      {(marks) => (
        <div className="control-box">
          <input
            {...passed}
            {...marks}
            className="control"
            type={type === "password" && shown ? "text" : type}
            data-mistake={mistake}
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
          {unit === undefined ? null : <span className="control-unit">{unit}</span>}
          {type === "password" ? (
            <button
              type="button"
              className="control-button"
              aria-label={shown ? words.hidePassword : words.showPassword}
              aria-pressed={shown}
              onClick={() => setShown(!shown)}
            >
              <Icon name="eye" size={16} />
            </button>
          ) : null}
        </div>
      )}
    </Field>
  );
}
