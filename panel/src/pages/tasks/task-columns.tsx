/** What the list of tasks tells of each. */
import { Link } from "@tanstack/react-router";
import type { PanelListedTask } from "../../../../src/contract/panel/panel-task.ts";
import type { TasksTexts } from "../../i18n/texts/tasks.ru.ts";
import type { Column } from "../../ui/data-table.tsx";
import { Thumbnail } from "../../ui/media-preview.tsx";
import { TaskCost } from "../../ui/tasks/task-cost.tsx";
import { TaskProgress } from "../../ui/tasks/task-progress.tsx";
import { RelativeTime } from "../../ui/time.tsx";

const SHOWN_FILES = 3;

export function taskColumns(t: TasksTexts): readonly Column<PanelListedTask>[] {
  return [
    {
      id: "model",
      header: t.task,
      leads: true,
      cell: ({ taskId, model, files }) => (
        <span className="named-media">
          {files.length === 0 ? <Thumbnail file={{ url: "", preview: "none" }} /> : null}
          {files.slice(0, SHOWN_FILES).map((file) => (
            <Thumbnail key={file.name} file={file} />
          ))}
          <Link to="/tasks/$id" params={{ id: taskId }}>
            {model}
          </Link>
        </span>
      ),
    },
    { id: "state", header: t.state, cell: (task) => <TaskProgress task={task} /> },
    { id: "key", header: t.key, cell: ({ key }) => <TaskKey taskKey={key} t={t} /> },
    { id: "cost", header: t.cost, align: "end", cell: ({ cost }) => <TaskCost cost={cost} /> },
    { id: "age", header: t.age, cell: ({ createdAt }) => <RelativeTime iso={createdAt} /> },
  ];
}

export function TaskKey({
  taskKey,
  t,
}: {
  readonly taskKey: PanelListedTask["key"];
  readonly t: TasksTexts;
}) {
  if (taskKey === null) return <span className="quiet">{t.keyGone}</span>;
  const named = (
    <>
      {taskKey.name} <span className="quiet small">{taskKey.mask}</span>
    </>
  );
  if (taskKey.deleted) return named;
  return (
    <Link to="/keys/$hash" params={{ hash: taskKey.hash }}>
      {named}
    </Link>
  );
}
