/** One task, live: what was asked, what came of it, what it cost, and who was told. */
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { hasEnded, useTask } from "../../api/use-task.ts";
import { useMayUseKeys, useSeeing, useSeesAccount } from "../../app/session.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { CancelTask } from "../../ui/tasks/cancel-task.tsx";
import { TaskFailure } from "../../ui/tasks/task-failure.tsx";
import { TaskProgress } from "../../ui/tasks/task-progress.tsx";
import { TaskResults } from "../../ui/tasks/task-results.tsx";
import { useTaskTexts } from "../../ui/tasks/use-task-texts.ts";
import { TaskDeliveries } from "./task-deliveries.tsx";
import { TaskAbout, TaskAttempts, TaskHistory, TaskMoney } from "./task-facts.tsx";
import { TaskInput } from "./task-input.tsx";
import "./tasks.css";

export function Component(): ReactNode {
  const t = useTaskTexts();
  const { id } = useParams({ from: "/inside/tasks/$id" });
  const query = useTask(id);
  const mayChange = useMayUseKeys();
  const seesAccount = useSeesAccount();
  const seeing = useSeeing();
  const task = query.data;
  return (
    <>
      <PageHead
        title={task?.model ?? t.task}
        back={{ to: "/tasks", label: t.title }}
        actions={
          task !== undefined && mayChange ? (
            <>
              {hasEnded(task) ? null : <CancelTask taskId={id} />}
              <ButtonLink
                icon="play"
                to="/playground"
                search={{ tab: "tasks", model: task.model, from: task.taskId, key: task.key?.hash }}
              >
                {t.again}
              </ButtonLink>
            </>
          ) : null
        }
      />
      <Loaded query={query}>
        {(shown) => (
          <>
            <TaskProgress task={shown} />
            {shown.error === null ? null : <TaskFailure error={shown.error} />}
            <div className="tasks-columns">
              <div className="stack">
                {shown.state === "failed" || seeing !== null ? null : (
                  <Card title={t.results}>
                    {shown.files.length === 0 ? (
                      <p className="quiet">{t.waiting}</p>
                    ) : (
                      <TaskResults files={shown.files} />
                    )}
                  </Card>
                )}
                {seeing === null ? (
                  <TaskInput task={shown} />
                ) : (
                  <Card title={t.parameters}>
                    <p className="quiet">{t.withheld}</p>
                  </Card>
                )}
              </div>
              <div className="stack">
                <TaskMoney task={shown} />
                <TaskAbout task={shown} />
                <TaskHistory task={shown} />
              </div>
            </div>
            {shown.attempts.length === 0 ? null : <TaskAttempts task={shown} />}
            {seesAccount && seeing === null ? <TaskDeliveries task={shown} /> : null}
          </>
        )}
      </Loaded>
    </>
  );
}
