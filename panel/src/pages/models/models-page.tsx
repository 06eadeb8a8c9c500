/** Everything that can be called, with its prices, by what it is asked for and by a search. */
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { PanelModel } from "../../../../src/contract/panel/panel-model.ts";
import { modelsQuery } from "../../api/account-models.ts";
import { useFormats, useLocale } from "../../i18n/locale.tsx";
import { useWords } from "../../i18n/use-words.ts";
import { DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterBar } from "../../ui/filter-bar.tsx";
import { FilterText } from "../../ui/filter-text.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { useFilters } from "../../ui/use-filters.ts";
import { useComparing } from "./comparing.ts";
import { callColumns, chatColumns, taskColumns } from "./model-columns.tsx";
import { ModelComparison } from "./model-comparison.tsx";
import "./models.css";
import { useModelStatuses } from "./use-model-statuses.ts";
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
  const { count } = useFormats();
  const words = useWords();
  const shown = useFilters({ tab: "chat" });
  const filters = useFilters({ search: "" });
  const { search } = filters.values;
  const emptyWords = search === "" ? t.none : words.nothingFound;
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
          <>
            <FilterBar filters={filters}>
              <FilterText
                label={words.search}
                placeholder={t.searchHint}
                {...filters.of("search")}
              />
            </FilterBar>
            <Tabs
              label={t.views}
              value={VIEWS.find((view) => view === shown.values.tab) ?? "chat"}
              onChange={(tab) => shown.set({ tab })}
              tabs={VIEWS.map((view) => {
                const models = data.filter(
                  (model) => viewOf(model) === view && isNamed(model, search),
                );
                return {
                  value: view,
                  // What is looked for may be of another kind.
                  label: search === "" ? t.tabs[view] : `${t.tabs[view]} · ${count(models.length)}`,
                  content:
                    view === "chat" ? (
                      <ChatTable models={models} all={data} empty={emptyWords} />
                    ) : (
                      <ModelTable models={models} view={view} empty={emptyWords} />
                    ),
                };
              })}
            />
          </>
        )}
      </Loaded>
    </>
  );
}

/** Every word of it stands in a name of the model. */
function isNamed({ displayName, id, aliases }: PanelModel, search: string): boolean {
  const names = [displayName, id, ...aliases].join("\n").toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => names.includes(word));
}

/** Those of a chat can be compared. */
function ChatTable({
  models,
  all,
  empty,
}: Omit<ModelTableProps, "view"> & { readonly all: readonly PanelModel[] }): ReactNode {
  const t = useModelsTexts();
  const formats = useFormats();
  const statusOf = useModelStatuses();
  const comparing = useComparing(all);
  return (
    <div className="stack">
      <ModelComparison
        models={all.filter(({ id }) => comparing.ids.includes(id))}
        comparing={comparing}
        statusOf={statusOf}
      />
      <DataTable
        caption={t.captions.chat}
        columns={chatColumns(t, formats, { models, statusOf, comparing })}
        rows={models}
        rowKey={({ id }) => id}
        empty={<EmptyState title={empty} />}
      />
    </div>
  );
}

interface ModelTableProps {
  readonly models: readonly PanelModel[];
  readonly view: Exclude<View, "chat">;
  /** Said of none. */
  readonly empty: string;
}

function ModelTable({ models, view, empty }: ModelTableProps): ReactNode {
  const t = useModelsTexts();
  const { language } = useLocale();
  const formats = useFormats();
  const columns = useMemo(
    () => (view === "tasks" ? taskColumns(t, formats, language) : callColumns(t, formats)),
    [view, t, formats, language],
  );
  return (
    <DataTable
      caption={t.captions[view]}
      columns={columns}
      rows={models}
      rowKey={({ id }) => id}
      empty={<EmptyState title={empty} />}
    />
  );
}
