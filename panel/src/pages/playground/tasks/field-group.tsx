/** Several controls that are one parameter, under its name. */
import type { ReactNode } from "react";
import { useId } from "react";
import { useWords } from "../../../i18n/use-words.ts";

interface FieldGroupProps {
  readonly title: string;
  readonly hint: string;
  readonly error: string | undefined;
  readonly optional: boolean;
  readonly children: ReactNode;
}

export function FieldGroup({ title, hint, error, optional, children }: FieldGroupProps): ReactNode {
  const words = useWords();
  const id = useId();
  return (
    <fieldset className="field playground-group" aria-describedby={id}>
      <legend className="field-label">
        {title}
        {optional ? <span className="quiet"> ({words.optional})</span> : null}
      </legend>
      <div id={id} className="field-told">
        {error === undefined ? null : <p className="field-error">{error}</p>}
        <p className="field-hint">{hint}</p>
      </div>
      {children}
    </fieldset>
  );
}
