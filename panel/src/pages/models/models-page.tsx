/** Everything that can be called, with its prices, by what it is asked for. */
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
import { callColumns, chatColumns, taskColumns } from "./model-columns.tsx";
import "./models.css";
import { useModelsTexts } from "./use-models-texts.ts";

const VIEWS = ["chat", "calls", "tasks"] as const;
type View = (typeof VIEWS)[number];

function viewOf({ type }: PanelModel): View {
  if (type === "task") return "tasks";
  return type === "chat" ? "chat" : "calls";
}

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
            tabs={VIEWS.map((view) => ({
              value: view,
              label: t.tabs[view],
              content: (
                <ModelTable models={data.filter((model) => viewOf(model) === view)} view={view} />
              ),
            }))}
          />
        )}
      </Loaded>
    </>
  );
}

function ModelTable({
  models,
  view,
}: {
  readonly models: readonly PanelModel[];
  readonly view: View;
}): ReactNode {
  const t = useModelsTexts();
  const { language } = useLocale();
  const formats = useFormats();
  const columns = useMemo(() => {
    if (view === "calls") return callColumns(t, formats);
    return view === "tasks" ? taskColumns(t, formats, language) : chatColumns(t, formats);
  }, [view, t, formats, language]);
  return (
    <DataTable
      caption={t.captions[view]}
      columns={columns}
      rows={models}
      rowKey={({ id }) => id}
      empty={<EmptyState title={t.none} />}
    />
  );
}
