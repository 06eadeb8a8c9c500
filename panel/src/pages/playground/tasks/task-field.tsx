/** One parameter of a task, drawn by its kind. What is not given is absent, and its default stands. */
import type { ReactNode } from "react";
import type { PanelTaskField } from "../../../../../src/contract/panel/panel-model.ts";
import { useLocale } from "../../../i18n/locale.tsx";
import { Checkbox } from "../../../ui/checkbox.tsx";
import { Field } from "../../../ui/field.tsx";
import { NumberField } from "../../../ui/number-field.tsx";
import { TextArea } from "../../../ui/text-area.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import { hintOf } from "./field-bounds.ts";
import type { AnyField } from "./field-bounds.ts";
import { MediaField } from "./media-field.tsx";
import { ObjectsField } from "./objects-field.tsx";
import { useTaskForm } from "./task-form-context.ts";
import { TextsField } from "./texts-field.tsx";

export interface TaskFieldProps {
  readonly field: AnyField;
  /** `duration`, `elements[0].urls`. */
  readonly path: string;
  readonly value: unknown;
  /** Undefined: not given. */
  onChange(value: unknown): void;
}

export function TaskField({ field, path, value, onChange }: TaskFieldProps): ReactNode {
  const { language } = useLocale();
  const t = usePlaygroundTexts();
  const { mistakeAt } = useTaskForm();
  const common = {
    label: field.title[language],
    hint: hintOf(field, t, language),
    error: mistakeAt(path),
    optional: !field.required,
  };
  switch (field.kind) {
    case "text": {
      const text = {
        ...common,
        value: typeof value === "string" ? value : "",
        placeholder: defaultText(field),
        onChange: giveText(onChange),
      };
      return field.multiline === true ? <TextArea {...text} rows={4} /> : <TextField {...text} />;
    }
    case "number":
    case "integer":
      return (
        <NumberField
          {...common}
          decimal={field.kind === "number"}
          value={typeof value === "number" ? value : null}
          placeholder={defaultText(field)}
          onChange={(number) => onChange(number ?? undefined)}
        />
      );
    case "flag":
      return <Flag {...common} checked={typeof value === "boolean" ? value : defaultOf(field) === true} onChange={onChange} />;
    case "choice":
      return <Choice {...common} field={field} value={value} onChange={onChange} />;
    case "url":
    case "urls":
      return <MediaField field={field} path={path} value={value} onChange={onChange} />;
    case "texts":
      return <TextsField field={field} path={path} value={value} onChange={onChange} />;
    case "objects":
      return <ObjectsField field={field} path={path} value={value} onChange={onChange} />;
  }
}

function defaultOf(field: AnyField): string | number | boolean | undefined {
  return "default" in field ? field.default : undefined;
}

function defaultText(field: AnyField): string {
  const byDefault = defaultOf(field);
  return byDefault === undefined ? "" : String(byDefault);
}

function giveText(onChange: TaskFieldProps["onChange"]): (text: string) => void {
  return (text) => onChange(text === "" ? undefined : text);
}

interface FlagProps {
  readonly label: string;
  readonly hint: string;
  readonly error: string | undefined;
  readonly checked: boolean;
  onChange(checked: boolean): void;
}

function Flag({ label, hint, error, checked, onChange }: FlagProps): ReactNode {
  return (
    <div className="field">
      <Checkbox label={label} hint={hint} checked={checked} onChange={onChange} />
      {error === undefined ? null : <p className="field-error">{error}</p>}
    </div>
  );
}

interface ChoiceProps {
  readonly field: AnyField;
  readonly label: string;
  readonly hint: string;
  readonly error: string | undefined;
  readonly optional: boolean;
  readonly value: unknown;
  onChange(value: unknown): void;
}

function Choice({ field, value, onChange, ...frame }: ChoiceProps): ReactNode {
  const t = usePlaygroundTexts();
  const values = (field as PanelTaskField).values ?? [];
  const byDefault = defaultText(field);
  const given = typeof value === "string" ? value : byDefault;
  return (
    <Field {...frame}>
      {(marks) => (
        <select
          {...marks}
          className="control select"
          value={given}
          onChange={(event) => onChange(event.target.value === "" ? undefined : event.target.value)}
        >
          {byDefault === "" ? <option value="">{t.notChosen}</option> : null}
          {values.map((one) => (
            <option key={one} value={one}>
              {one === byDefault ? `${one} (${t.byDefault})` : one}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
