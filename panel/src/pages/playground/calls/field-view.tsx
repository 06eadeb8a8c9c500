/** One parameter of a call, drawn by its kind. */
import type { ReactNode } from "react";
import { NumberField } from "../../../ui/number-field.tsx";
import { Select } from "../../../ui/select.tsx";
import { Switch } from "../../../ui/switch.tsx";
import { TextArea } from "../../../ui/text-area.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import type { CallField } from "./call-field.ts";
import { FilesField } from "./files-field.tsx";
import { useCallsTexts } from "./use-calls-texts.ts";
import { chosenOf, filesOf } from "./write-call.ts";

interface FieldViewProps {
  readonly field: CallField;
  readonly value: unknown;
  readonly error: string | undefined;
  onChange(value: unknown): void;
}

const ROWS = { text: 4, lines: 6 } as const;

export function FieldView({ field, value, error, onChange }: FieldViewProps): ReactNode {
  const t = useCallsTexts();
  const { notChosen } = usePlaygroundTexts();
  const hint = t.hints[field.label];
  const frame = {
    label: t.labels[field.label],
    error,
    optional: field.required !== true,
    ...(hint === undefined ? {} : { hint }),
  };
  switch (field.kind) {
    case "word":
    case "text":
    case "lines": {
      const text = typeof value === "string" ? value : (field.first ?? "");
      return field.kind === "word" ? (
        <TextField {...frame} value={text} onChange={onChange} />
      ) : (
        <TextArea {...frame} rows={ROWS[field.kind]} value={text} onChange={onChange} />
      );
    }
    case "integer":
    case "number":
      return (
        <NumberField
          {...frame}
          decimal={field.kind === "number"}
          value={value === undefined ? (field.first ?? null) : (value as number | null)}
          onChange={onChange}
        />
      );
    case "choice":
      return (
        <Select
          {...frame}
          optional={false}
          value={chosenOf(field, value)}
          options={field.values.map((one) => ({
            value: one,
            label: one === "" ? notChosen : (t.choices[one] ?? one),
          }))}
          onChange={onChange}
        />
      );
    case "switch":
      return <Switch label={frame.label} checked={value === true} onChange={onChange} />;
    case "files":
      return <FilesField {...frame} field={field} chosen={filesOf(value)} onChange={onChange} />;
  }
}
