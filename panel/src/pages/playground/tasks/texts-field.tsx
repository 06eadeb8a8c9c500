/** A list of short texts, such as ids. */
import type { ReactNode } from "react";
import { useLocale } from "../../../i18n/locale.tsx";
import { Button } from "../../../ui/button.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import { hintOf } from "./field-bounds.ts";
import { FieldGroup } from "./field-group.tsx";
import { useTaskForm } from "./task-form-context.ts";
import type { TaskFieldProps } from "./field-props.ts";

export function TextsField({ field, path, value, onChange }: TaskFieldProps): ReactNode {
  const { language } = useLocale();
  const t = usePlaygroundTexts();
  const { mistakeAt } = useTaskForm();
  const texts = Array.isArray(value) ? (value as readonly string[]) : [];
  const give = (next: readonly string[]): void => onChange(next.length === 0 ? undefined : next);
  return (
    <FieldGroup
      title={field.title[language]}
      hint={hintOf(field, t, language)}
      error={mistakeAt(path)}
      optional={!field.required}
    >
      {texts.map((text, at) => (
        <div key={at} className="playground-paste">
          <TextField
            label={t.textItem(at + 1)}
            quietLabel
            value={text}
            error={mistakeAt(`${path}[${at}]`)}
            onChange={(next) => give(texts.map((one, other) => (other === at ? next : one)))}
          />
          <Button
            look="ghost"
            icon="trash"
            aria-label={t.removeItem(at + 1)}
            onClick={() => give(texts.filter((_, other) => other !== at))}
          />
        </div>
      ))}
      {texts.length < (field.maxItems ?? Infinity) ? (
        <div className="row">
          <Button small icon="plus" onClick={() => give([...texts, ""])}>
            {t.addItem}
          </Button>
        </div>
      ) : null}
    </FieldGroup>
  );
}
