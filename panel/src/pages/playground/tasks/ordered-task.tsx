/** The task that was just ordered, live, up to its results. */
import { useEffect, useRef } from "react";
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
import { usePlaygroundTexts } from "../use-playground-texts.ts";

export function OrderedTask({ taskId }: { readonly taskId: string }): ReactNode {
  const t = usePlaygroundTexts();
  const query = useTask(taskId);
  const place = useRef<HTMLDivElement>(null);
  // On phones it lies below the form: the member who ordered is shown what came of it.
  useEffect(() => {
    // What newer browsers give back for it is a promise, and no way to take the effect back.
    place.current?.scrollIntoView({ block: "start" });
  }, [taskId]);
  return (
    <div ref={place} className="playground-ordered">
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
    </div>
  );
}
