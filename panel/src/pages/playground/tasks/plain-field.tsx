/**
 * A parameter that may also stand inside an object: a text, a number, or files. What is not given
 * is absent, and its default stands.
 */
import type { ReactNode } from "react";
import type {
  PanelObjectField,
  PanelTaskField,
} from "../../../../../src/contract/panel/panel-model.ts";
import { NumberField } from "../../../ui/number-field.tsx";
import { TextArea } from "../../../ui/text-area.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { MediaField } from "./media-field.tsx";
import { defaultText, useFieldFrame } from "./field-frame.ts";
import type { TaskFieldProps } from "./field-props.ts";

type Kind = PanelObjectField["kind"];
export type PlainKind = PanelObjectField | (PanelTaskField & { readonly kind: Kind });

export function PlainField({ field, path, value, onChange }: TaskFieldProps<PlainKind>): ReactNode {
  const frame = useFieldFrame(field, path);
  switch (field.kind) {
    case "text": {
      const text = {
        ...frame,
        value: typeof value === "string" ? value : "",
        placeholder: defaultText(field),
        onChange: (next: string) => onChange(next === "" ? undefined : next),
      };
      return field.multiline === true ? <TextArea {...text} rows={4} /> : <TextField {...text} />;
    }
    case "number":
    case "integer":
      return (
        <NumberField
          {...frame}
          decimal={field.kind === "number"}
          value={typeof value === "number" ? value : null}
          placeholder={defaultText(field)}
          onChange={(number) => onChange(number ?? undefined)}
        />
      );
    case "url":
    case "urls":
      return <MediaField field={field} path={path} value={value} onChange={onChange} />;
  }
}
