/** Where a task is: its state, how far it is, and its place in the queue. */
import type { ReactNode } from "react";
import type { PanelListedTask } from "../../../../src/contract/panel/panel-task.ts";
import { hasEnded } from "../../api/use-task.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { StatusBadge } from "../status-badge.tsx";
import { useTaskTexts } from "./use-task-texts.ts";

export function TaskProgress({ task }: { readonly task: PanelListedTask }): ReactNode {
  const t = useTaskTexts();
  const { share, count } = useFormats();
  const running = !hasEnded(task);
  return (
    <div className="task-progress" aria-live="polite">
      <span className="row">
        <StatusBadge status={task.error?.code === "canceled" ? "canceled" : task.state} />
        {running && task.progress !== null ? (
          <span className="small figure">{t.percent(share(task.progress))}</span>
        ) : null}
        {running && task.queuePosition !== null ? (
          <span className="quiet small">{t.queuePosition(count(task.queuePosition))}</span>
        ) : null}
      </span>
      {running ? (
        <progress
          aria-label={t.progress}
          {...(task.progress === null ? {} : { value: task.progress, max: 1 })}
        />
      ) : null}
      {running && task.cancelRequestedAt !== null ? (
        <span className="quiet small">{t.canceling}</span>
      ) : null}
    </div>
  );
}
