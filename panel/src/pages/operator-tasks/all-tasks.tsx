/** The list of all tasks with its filters. */
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { ReactNode } from "react";
import { TASK_STATES } from "../../../../src/contract/enums/task-state.ts";
import type { OperatorTaskRow } from "../../../../src/contract/panel/operator-tasks.ts";
import { usePages } from "../../api/use-pages.ts";
import { useWords } from "../../i18n/use-words.ts";
import { CursorList } from "../../ui/cursor-list.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterSelect } from "../../ui/filter-select.tsx";
import { Money } from "../../ui/money.tsx";
import { AccountLink } from "../../ui/operator/account-link.tsx";
import { AccountFilter } from "../../ui/operator/account-filter.tsx";
import { ModelFilter } from "../../ui/operator/route-filters.tsx";
import { useOperatorTexts } from "../../ui/operator/use-operator-texts.ts";
import { useWorkTexts } from "../../ui/operator/use-work-texts.ts";
import { RelativeTime } from "../../ui/time.tsx";
import { useFilters } from "../../ui/use-filters.ts";
import { TaskState } from "./task-state.tsx";

export function AllTasks(): ReactNode {
  const t = useWorkTexts();
  const shared = useOperatorTexts();
  const words = useWords();
  const filters = useFilters({ account: "", model: "", state: "" });
  const pages = usePages("/operator/tasks", { query: filters.values });
  const columns = useMemo(
    (): readonly Column<OperatorTaskRow>[] => [
      {
        id: "model",
        header: t.task,
        cell: ({ taskId, model }) => (
          <Link to="/operator/tasks/$id" params={{ id: taskId }}>
            {model}
          </Link>
        ),
      },
      {
        id: "account",
        header: shared.account,
        cell: ({ accountId, accountName }) => (
          <AccountLink accountId={accountId} name={accountName} />
        ),
      },
      { id: "state", header: shared.state, cell: (task) => <TaskState task={task} /> },
      { id: "upstream", header: shared.upstream, cell: ({ upstream }) => upstream ?? "—" },
      {
        id: "created",
        header: t.createdAt,
        cell: ({ createdAt }) => <RelativeTime iso={createdAt} />,
      },
      {
        id: "price",
        header: t.price,
        align: "end",
        cell: ({ price }) => <Money amount={price} brief="up" />,
      },
      {
        id: "charged",
        header: shared.charged,
        align: "end",
        cell: ({ charged }) => (charged === null ? "—" : <Money amount={charged} brief="up" />),
      },
    ],
    [t, shared],
  );
  return (
    <div className="stack">
      <CursorList
        pages={pages}
        filters={filters}
        fields={
          <>
            <AccountFilter {...filters.of("account")} />
            <ModelFilter kind="task" {...filters.of("model")} />
            <FilterSelect
              label={shared.state}
              options={TASK_STATES.map((state) => ({ value: state, label: t.taskStates[state] }))}
              {...filters.of("state")}
            />
          </>
        }
        caption={t.tasksCaption}
        columns={columns}
        rowKey={({ taskId }) => taskId}
        nothingFound={<EmptyState title={words.nothingFound} text={shared.nothingFoundText} />}
        empty={<EmptyState title={t.noTasks} text={t.noTasksText} />}
      />
    </div>
  );
}
