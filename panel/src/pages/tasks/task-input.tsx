/**
 * The parameters of a task as they were accepted: by the names that its form gives them, and as
 * JSON.
 */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { PanelTask } from "../../../../src/contract/panel/panel-task.ts";
import { modelsQuery } from "../../api/account-models.ts";
import { useLocale } from "../../i18n/locale.tsx";
import type { TasksTexts } from "../../i18n/texts/tasks.ru.ts";
import { Card } from "../../ui/card.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Facts } from "../../ui/stat.tsx";
import { useTaskTexts } from "../../ui/tasks/use-task-texts.ts";

export function TaskInput({ task: { input, model } }: { readonly task: PanelTask }): ReactNode {
  const t = useTaskTexts();
  const { language } = useLocale();
  const models = useQuery(modelsQuery);
  const form = models.data?.data.find(({ id }) => id === model)?.form;
  const titleOf = (name: string): string =>
    form?.fields.find((field) => field.name === name)?.title[language] ?? name;
  return (
    <Card title={t.parameters}>
      <Facts
        items={Object.entries(input).map(([name, value]) => [
          titleOf(name),
          <Value key={name} value={value} t={t} />,
        ])}
      />
      <details>
        <summary>{t.asJson}</summary>
        <CodeBlock code={JSON.stringify(input, null, 2)} label={t.asJson} />
      </details>
    </Card>
  );
}

function Value({ value, t }: { readonly value: unknown; readonly t: TasksTexts }): ReactNode {
  if (typeof value === "boolean") return value ? t.yes : t.no;
  if (typeof value === "string" || typeof value === "number")
    return <span className="tasks-text">{value}</span>;
  if (value === null || value === undefined) return <span className="quiet">{t.notGiven}</span>;
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) {
    return (
      <ul className="tasks-list">
        {value.map((one, at) => (
          <li key={at}>{one}</li>
        ))}
      </ul>
    );
  }
  return <pre className="tasks-text code">{JSON.stringify(value, null, 2)}</pre>;
}
