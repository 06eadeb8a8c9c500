/**
 * The list of tasks with its filters; as long as one of them runs, it is read again every few
 * seconds.
 */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import type { ReactNode } from "react";
import { TASK_STATES } from "../../../../src/contract/enums/task-state.ts";
import { modelsQuery } from "../../api/account-models.ts";
import { usePages } from "../../api/use-pages.ts";
import { hasEnded } from "../../api/use-task.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterBar } from "../../ui/filter-bar.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Select } from "../../ui/select.tsx";
import { useTaskTexts } from "../../ui/tasks/use-task-texts.ts";
import { useFilters } from "../../ui/use-filters.ts";
import { taskColumns } from "./task-columns.tsx";

const LOOK_AGAIN_MS = 3_000;

export function TaskTable(): ReactNode {
  const t = useTaskTexts();
  const filters = useFilters({ state: "", model: "" });
  const models = useQuery(modelsQuery);
  const { rows = [], query } = usePages("/tasks", { query: filters.values });
  const running = rows.some((task) => !hasEnded(task));
  const { refetch } = query;
  useEffect(() => {
    if (!running) return undefined;
    const timer = setInterval(() => void refetch(), LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, [running, refetch]);
  const columns = useMemo(() => taskColumns(t), [t]);
  const modelOptions = (models.data?.data ?? [])
    .filter(({ type }) => type === "task")
    .map(({ id, displayName }) => ({ value: id, label: displayName }));
  return (
    <div className="stack">
      <FilterBar filters={filters}>
        <Select
          label={t.state}
          options={[
            { value: "", label: t.all },
            ...TASK_STATES.map((state) => ({ value: state, label: t.states[state] })),
          ]}
          {...filters.of("state")}
        />
        <Select
          label={t.model}
          options={[{ value: "", label: t.all }, ...modelOptions]}
          {...filters.of("model")}
        />
      </FilterBar>
      <Loaded query={query}>
        {() => (
          <DataTable
            caption={t.caption}
            columns={columns}
            rows={rows}
            rowKey={({ taskId }) => taskId}
            more={query}
            empty={
              filters.active ? (
                <EmptyState title={t.emptyFilteredTitle} text={t.emptyFilteredText} />
              ) : (
                <EmptyState
                  title={t.emptyTitle}
                  text={t.emptyText}
                  action={
                    <ButtonLink to="/playground" search={{ tab: "tasks" }}>
                      {t.openPlayground}
                    </ButtonLink>
                  }
                />
              )
            }
          />
        )}
      </Loaded>
    </div>
  );
}
