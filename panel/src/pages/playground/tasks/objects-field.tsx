/**
 * A list of objects with fields of their own: shots, elements, parts of a film; where the table
 * says so, true or false instead.
 */
import type { ReactNode } from "react";
import type { PanelTaskField } from "../../../../../src/contract/panel/panel-model.ts";
import { useLocale } from "../../../i18n/locale.tsx";
import { Button } from "../../../ui/button.tsx";
import { Select } from "../../../ui/select.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import { hintOf } from "./field-bounds.ts";
import { FieldGroup } from "./field-group.tsx";
import type { TaskFieldProps } from "./field-props.ts";
import { PlainField } from "./plain-field.tsx";
import { useTaskForm } from "./task-form-context.ts";
import { withField } from "./with-field.ts";

type Item = Readonly<Record<string, unknown>>;
type How = "off" | "on" | "list";

const HOWS: readonly How[] = ["off", "on", "list"];

export function ObjectsField({
  field,
  path,
  value,
  onChange,
}: TaskFieldProps<PanelTaskField>): ReactNode {
  const { language } = useLocale();
  const t = usePlaygroundTexts();
  const { mistakeAt } = useTaskForm();
  const { orFlag = false, default: byDefault } = field;
  const items = Array.isArray(value) ? (value as readonly Item[]) : [];
  const how: How = Array.isArray(value) ? "list" : (value ?? byDefault) === true ? "on" : "off";
  const give = (next: readonly Item[]): void => onChange(next.length === 0 ? undefined : next);
  return (
    <FieldGroup
      title={field.title[language]}
      hint={hintOf(field, t, language)}
      error={mistakeAt(path)}
      optional={!field.required}
    >
      {orFlag ? (
        <Select
          label={`${t.how}: ${field.title[language]}`}
          quietLabel
          value={how}
          options={HOWS.map((one) => ({ value: one, label: t.flagOrList[one] }))}
          onChange={(next) => onChange(next === "list" ? [{}] : next === "on")}
        />
      ) : null}
      {items.map((item, at) => (
        <OneObject
          key={at}
          field={field}
          path={`${path}[${at}]`}
          item={item}
          title={t.itemNumber(field.title[language], at + 1)}
          onChange={(next) => give(items.map((one, other) => (other === at ? next : one)))}
          onRemove={() => give(items.filter((_, other) => other !== at))}
        />
      ))}
      {(!orFlag || how === "list") && items.length < (field.maxItems ?? Infinity) ? (
        <div className="row">
          <Button small icon="plus" onClick={() => give([...items, {}])}>
            {t.addItem}
          </Button>
        </div>
      ) : null}
    </FieldGroup>
  );
}

interface OneObjectProps {
  readonly field: PanelTaskField;
  readonly path: string;
  readonly item: Item;
  readonly title: string;
  onChange(item: Item): void;
  onRemove(): void;
}

function OneObject({ field, path, item, title, onChange, onRemove }: OneObjectProps): ReactNode {
  const t = usePlaygroundTexts();
  const { mistakeAt } = useTaskForm();
  const error = mistakeAt(path);
  return (
    <div className="playground-object" role="group" aria-label={title}>
      <div className="playground-media-foot">
        <b className="small">{title}</b>
        <Button
          look="ghost"
          small
          icon="trash"
          aria-label={t.removeNamed(title)}
          onClick={onRemove}
        />
      </div>
      {error === undefined ? null : <p className="field-error">{error}</p>}
      {(field.fields ?? []).map((inner) => (
        <PlainField
          key={inner.name}
          field={inner}
          path={`${path}.${inner.name}`}
          value={item[inner.name]}
          onChange={(next) => onChange(withField(item, inner.name, next))}
        />
      ))}
    </div>
  );
}
