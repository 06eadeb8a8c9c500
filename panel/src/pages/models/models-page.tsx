/** Everything that can be called, with its prices: chat models and task models. */
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { PanelModel } from "../../../../src/contract/panel/panel-model.ts";
import { modelsQuery } from "../../api/account-models.ts";
import { useFormats, useLocale } from "../../i18n/locale.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { useFilters } from "../../ui/use-filters.ts";
import { chatColumns, taskColumns } from "./model-columns.tsx";
import "./models.css";
import { useModelsTexts } from "./use-models-texts.ts";

const VIEWS = ["chat", "tasks"] as const;

export function Component(): ReactNode {
  const t = useModelsTexts();
  const query = useQuery(modelsQuery);
  const { values, set } = useFilters({ tab: "chat" });
  return (
    <>
      <PageHead
        title={t.title}
        lead={
          query.data === undefined ? t.lead : `${t.lead} ${t.version(query.data.priceVersion)}.`
        }
      />
      <Loaded query={query}>
        {({ data }) => (
          <Tabs
            label={t.views}
            value={VIEWS.find((view) => view === values.tab) ?? "chat"}
            onChange={(tab) => set({ tab })}
            tabs={[
              {
                value: "chat",
                label: t.tabs.chat,
                content: <ModelTable models={data.filter(({ type }) => type === "chat")} />,
              },
              {
                value: "tasks",
                label: t.tabs.tasks,
                content: <ModelTable models={data.filter(({ type }) => type === "task")} tasks />,
              },
            ]}
          />
        )}
      </Loaded>
    </>
  );
}

function ModelTable({
  models,
  tasks = false,
}: {
  readonly models: readonly PanelModel[];
  readonly tasks?: boolean;
}): ReactNode {
  const t = useModelsTexts();
  const { language } = useLocale();
  const formats = useFormats();
  const columns = useMemo(
    () => (tasks ? taskColumns(t, formats, language) : chatColumns(t, formats)),
    [tasks, t, formats, language],
  );
  return (
    <DataTable
      caption={tasks ? t.tasksCaption : t.chatCaption}
      columns={columns}
      rows={models}
      rowKey={({ id }) => id}
      empty={<EmptyState title={t.none} />}
    />
  );
}
