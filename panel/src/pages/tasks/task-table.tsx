/**
 * The list of tasks with its filters; as long as one of them runs, it is read again every few
 * seconds.
 */
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ReactNode } from "react";
import { TASK_STATES } from "../../../../src/contract/enums/task-state.ts";
import { modelsQuery } from "../../api/account-models.ts";
import { usePages } from "../../api/use-pages.ts";
import { hasEnded } from "../../api/use-task.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { CursorList } from "../../ui/cursor-list.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterSelect } from "../../ui/filter-select.tsx";
import { useTaskTexts } from "../../ui/tasks/use-task-texts.ts";
import { useFilters } from "../../ui/use-filters.ts";
import { taskColumns } from "./task-columns.tsx";

const LOOK_AGAIN_MS = 3_000;

export function TaskTable(): ReactNode {
  const t = useTaskTexts();
  const filters = useFilters({ state: "", model: "" });
  const models = useQuery(modelsQuery);
  const pages = usePages("/tasks", { query: filters.values });
  const underWay = pages.rows?.some((task) => !hasEnded(task)) === true;
  const columns = useMemo(() => taskColumns(t), [t]);
  const modelOptions = (models.data?.data ?? [])
    .filter(({ type }) => type === "task")
    .map(({ id, displayName }) => ({ value: id, label: displayName }));
  return (
    <div className="stack">
      <CursorList
        pages={pages}
        everyMs={underWay ? LOOK_AGAIN_MS : undefined}
        filters={filters}
        fields={
          <>
            <FilterSelect
              label={t.state}
              options={TASK_STATES.map((state) => ({ value: state, label: t.states[state] }))}
              {...filters.of("state")}
            />
            <FilterSelect label={t.model} options={modelOptions} {...filters.of("model")} />
          </>
        }
        caption={t.caption}
        columns={columns}
        rowKey={({ taskId }) => taskId}
        nothingFound={<EmptyState title={t.emptyFilteredTitle} text={t.emptyFilteredText} />}
        empty={
          <EmptyState
            title={t.emptyTitle}
            text={t.emptyText}
            action={
              <ButtonLink to="/playground" search={{ tab: "tasks" }}>
                {t.openPlayground}
              </ButtonLink>
            }
          />
        }
      />
    </div>
  );
}
