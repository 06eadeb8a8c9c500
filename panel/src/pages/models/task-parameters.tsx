/** What a task takes: every parameter with its kind, default and bounds, as the API checks them. */
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { PanelTaskField, PanelTaskForm } from "../../../../src/contract/panel/panel-model.ts";
import { useFormats, useLocale } from "../../i18n/locale.tsx";
import type { Formats } from "../../i18n/locale.tsx";
import { mistakeSentence } from "../../i18n/mistake-sentence.ts";
import type { ModelsTexts } from "../../i18n/texts/models.ru.ts";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { useModelsTexts } from "./use-models-texts.ts";

export function TaskParameters({ form }: { readonly form: PanelTaskForm }): ReactNode {
  const t = useModelsTexts();
  const { language } = useLocale();
  const formats = useFormats();
  const columns = useMemo(
    (): readonly Column<PanelTaskField>[] => [
      {
        id: "name",
        header: t.parameter,
        leads: true,
        cell: ({ name, required }) => (
          <span className="row">
            <code>{name}</code> {required ? <Badge tone="live">{t.required}</Badge> : null}
          </span>
        ),
      },
      { id: "type", header: t.type, cell: ({ kind }) => t.kindsOfFields[kind] },
      { id: "allowed", header: t.allowed, cell: (field) => allowedOf(field, t, formats) },
      {
        id: "default",
        header: t.byDefault,
        cell: ({ default: value }) => (value === undefined ? null : <code>{String(value)}</code>),
      },
      {
        id: "for",
        header: t.description,
        cell: ({ description, title }) => description[language] || title[language],
      },
    ],
    [t, language, formats],
  );
  return (
    <>
      <Card title={t.parameters}>
        <DataTable
          caption={t.parametersCaption}
          columns={columns}
          rows={form.fields}
          rowKey={({ name }) => name}
        />
      </Card>
      {form.rules.length === 0 ? null : (
        <Card title={t.rules}>
          <ul className="models-rules">
            {form.rules.map((rule) => (
              <li key={rule.code}>{mistakeSentence(language, rule)}</li>
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}

function allowedOf(field: PanelTaskField, t: ModelsTexts, { count }: Formats): string {
  if (field.values !== undefined) return field.values.join(", ");
  const bounds = (low: number | undefined, high: number | undefined): string | null => {
    if (low !== undefined && high !== undefined) return t.between(count(low), count(high));
    if (high !== undefined) return t.upTo(count(high));
    return low === undefined ? null : t.atLeast(count(low));
  };
  const size = bounds(field.minLength, field.maxLength);
  const items = bounds(field.minItems, field.maxItems);
  return [
    bounds(field.min, field.max),
    size === null ? null : t.symbols(size),
    items === null ? null : t.entries(items),
  ]
    .filter((one) => one !== null)
    .join("; ");
}
