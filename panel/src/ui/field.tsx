/** What every field of a form has around it: its label, a hint, and what is wrong with it. */
import { useId } from "react";
import type { ReactNode } from "react";
import { useWords } from "../i18n/use-words.ts";

export interface FieldFrame {
  readonly label: string;
  readonly hint?: ReactNode;
  /** What is wrong, in a sentence. */
  readonly error?: string | undefined;
  /** Says so beside the label. */
  readonly optional?: boolean;
  /** The label is for screen readers only: where the place says it already. */
  readonly quietLabel?: boolean;
}

/** What of a field's props is for its frame, and what is left for the control. */
export function takeFrame<Props extends FieldFrame>(
  props: Props,
): readonly [FieldFrame, Omit<Props, keyof FieldFrame>] {
  const { label, hint, error, optional = false, quietLabel = false, ...own } = props;
  return [{ label, hint, error, optional, quietLabel }, own];
}

/** To be spread on the control itself. */
export interface ControlMarks {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": true | undefined;
}

export function Field({
  label,
  hint,
  error,
  optional = false,
  quietLabel = false,
  children,
}: FieldFrame & { children(marks: ControlMarks): ReactNode }): ReactNode {
  const id = useId();
  const words = useWords();
  const described = error !== undefined || hint !== undefined;
  return (
    <div className="field">
      <label className={quietLabel ? "unseen" : "field-label"} htmlFor={id}>
        {label}
        {optional ? <span className="quiet"> ({words.optional})</span> : null}
      </label>
      {children({
        id,
        "aria-describedby": described ? `${id}-told` : undefined,
        "aria-invalid": error === undefined ? undefined : true,
      })}
      {described ? (
        <div id={`${id}-told`} className="field-told">
          {error === undefined ? null : <p className="field-error">{error}</p>}
          {hint === undefined ? null : <p className="field-hint">{hint}</p>}
        </div>
      ) : null}
    </div>
  );
}
