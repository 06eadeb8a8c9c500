/** The name, the hint and the mistake of a parameter, as a control takes them. */
import { useLocale } from "../../../i18n/locale.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import { hintOf } from "./field-bounds.ts";
import type { AnyField } from "./field-bounds.ts";
import { useTaskForm } from "./task-form-context.ts";

export interface FieldFrameOf {
  readonly label: string;
  readonly hint: string;
  readonly error: string | undefined;
  readonly optional: boolean;
}

export function useFieldFrame(field: AnyField, path: string): FieldFrameOf {
  const { language } = useLocale();
  const t = usePlaygroundTexts();
  const { mistakeAt } = useTaskForm();
  return {
    label: field.title[language],
    hint: hintOf(field, t, language),
    error: mistakeAt(path),
    optional: !field.required,
  };
}

/** Empty: there is none. */
export function defaultText(field: AnyField): string {
  const byDefault = "default" in field ? field.default : undefined;
  return byDefault === undefined ? "" : String(byDefault);
}
