/** The task that was just ordered, live, up to its results. */
import type { ReactNode } from "react";
import { hasEnded, useTask } from "../../../api/use-task.ts";
import { ButtonLink } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import { CancelTask } from "../../../ui/tasks/cancel-task.tsx";
import { TaskCost } from "../../../ui/tasks/task-cost.tsx";
import { TaskFailure } from "../../../ui/tasks/task-failure.tsx";
import { TaskProgress } from "../../../ui/tasks/task-progress.tsx";
import { TaskResults } from "../../../ui/tasks/task-results.tsx";
import { ShownPlace } from "../shown-place.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";

export function OrderedTask({ taskId }: { readonly taskId: string }): ReactNode {
  const t = usePlaygroundTexts();
  const query = useTask(taskId);
  return (
    <ShownPlace of={taskId}>
      <Card title={t.orderedTask}>
        <Loaded query={query}>
          {(task) => (
            <>
              <TaskProgress task={task} />
              {task.error === null ? null : <TaskFailure error={task.error} />}
              {task.files.length === 0 ? null : <TaskResults files={task.files} />}
              <div className="form-actions">
                <TaskCost cost={task.cost} />
                <ButtonLink small to="/tasks/$id" params={{ id: taskId }}>
                  {t.openTask}
                </ButtonLink>
                {hasEnded(task) ? null : <CancelTask taskId={taskId} />}
              </div>
            </>
          )}
        </Loaded>
      </Card>
    </ShownPlace>
  );
}
