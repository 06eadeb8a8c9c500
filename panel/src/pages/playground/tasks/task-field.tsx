/** One parameter of a task, drawn by its kind. */
import type { ReactNode } from "react";
import type { PanelTaskField } from "../../../../../src/contract/panel/panel-model.ts";
import { Checkbox } from "../../../ui/checkbox.tsx";
import { Select } from "../../../ui/select.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import { defaultText, useFieldFrame } from "./field-frame.ts";
import type { TaskFieldProps } from "./field-props.ts";
import { ObjectsField } from "./objects-field.tsx";
import { PlainField } from "./plain-field.tsx";
import type { PlainKind } from "./plain-field.tsx";
import { TextsField } from "./texts-field.tsx";

export function TaskField(props: TaskFieldProps<PanelTaskField>): ReactNode {
  switch (props.field.kind) {
    case "flag":
      return <Flag {...props} />;
    case "choice":
      return <Choice {...props} />;
    case "texts":
      return <TextsField {...props} />;
    case "objects":
      return <ObjectsField {...props} />;
    default:
      return <PlainField {...props} field={props.field as PlainKind} />;
  }
}

function Flag({ field, path, value, onChange }: TaskFieldProps<PanelTaskField>): ReactNode {
  const { label, hint, error } = useFieldFrame(field, path);
  return (
    <div className="field">
      <Checkbox
        label={label}
        hint={hint}
        checked={typeof value === "boolean" ? value : field.default === true}
        onChange={onChange}
      />
      {error === undefined ? null : <p className="field-error">{error}</p>}
    </div>
  );
}

function Choice({ field, path, value, onChange }: TaskFieldProps<PanelTaskField>): ReactNode {
  const t = usePlaygroundTexts();
  const frame = useFieldFrame(field, path);
  const byDefault = defaultText(field);
  return (
    <Select
      {...frame}
      value={typeof value === "string" ? value : byDefault}
      onChange={(chosen) => onChange(chosen === "" ? undefined : chosen)}
      options={[
        ...(byDefault === "" ? [{ value: "", label: t.notChosen }] : []),
        ...(field.values ?? []).map((one) => ({
          value: one,
          label: one === byDefault ? `${one} (${t.byDefault})` : one,
        })),
      ]}
    />
  );
}
