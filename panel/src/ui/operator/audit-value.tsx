/**
 * Something that was kept as JSON: folded, its fields by their names; what is deeper, as text only.
 */
import type { ReactNode } from "react";
import { useTexts } from "../../i18n/locale.tsx";
import type { CodedReasons } from "../../i18n/operator-sentence.ts";
import { operatorFieldsEn } from "../../i18n/texts/operator-fields.en.ts";
import { operatorFieldsRu } from "../../i18n/texts/operator-fields.ru.ts";
import type { OperatorFieldsTexts } from "../../i18n/texts/operator-fields.ru.ts";
import { Facts } from "../stat.tsx";
import { OperatorWords } from "./operator-words.tsx";
import "./operator.css";

const TEXTS = { ru: operatorFieldsRu, en: operatorFieldsEn };

export function AuditValue({
  value,
  label,
}: {
  readonly value: unknown;
  readonly label: string;
}): ReactNode {
  const t = useTexts(TEXTS);
  if (value === null || value === undefined) return null;
  const isRecord = typeof value === "object" && !Array.isArray(value);
  const { coded = null, ...named } = (isRecord ? value : {}) as {
    readonly coded?: CodedReasons | null;
  };
  const fields = isRecord ? Object.entries(named) : null;
  if (fields?.length === 0) return null;
  return (
    <details className="operator-told">
      <summary>{label}</summary>
      <div className="operator-told-fields" role="group" aria-label={label} tabIndex={0}>
        {fields === null ? (
          <pre>{written(value)}</pre>
        ) : (
          // Logs and commands know a field by its own name, which is at hand.
          <Facts
            items={fields.map(([name, one]) => [
              <span key={name} title={name}>
                {t.names[name] ?? name}
              </span>,
              name === "reason" && typeof one === "string" ? (
                <OperatorWords key="reason" words={one} coded={coded} />
              ) : (
                shown(one, t)
              ),
            ])}
          />
        )}
      </div>
    </details>
  );
}

function shown(value: unknown, t: OperatorFieldsTexts): ReactNode {
  if (value === null) return "—";
  if (typeof value === "boolean") return value ? t.yes : t.no;
  if (typeof value === "string") return <OperatorWords words={value} />;
  return typeof value === "number" ? String(value) : <pre>{written(value)}</pre>;
}

function written(value: unknown): string {
  if (Array.isArray(value) && value.every((one) => typeof one === "string"))
    return value.length === 0 ? "—" : value.join("\n");
  return JSON.stringify(value, null, 2);
}
