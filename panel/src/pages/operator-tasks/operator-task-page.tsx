/**
 * One task of any account: where it is, what happened to it, and what an operator may do with it.
 */
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { OperatorTaskDetail } from "../../../../src/contract/panel/operator-tasks.ts";
import { useOperatorData } from "../../api/operator.ts";
import { Card } from "../../ui/card.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Named } from "../../ui/operator/named.tsx";
import { AuditValue } from "../../ui/operator/audit-value.tsx";
import { useWorkTexts } from "../../ui/operator/use-work-texts.ts";
import { useTaskTexts } from "../../ui/tasks/use-task-texts.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { Facts } from "../../ui/stat.tsx";
import { Status } from "../../ui/status.tsx";
import { Time } from "../../ui/time.tsx";
import { TaskActions } from "./task-actions.tsx";
import { TaskAbout, TaskMoney } from "./task-facts.tsx";
import { TaskState } from "./task-state.tsx";
import "./operator-tasks.css";

const EVERY_MS = 5_000;
const DELIVERY_TONES = { pending: "live", delivered: "good", given_up: "bad" } as const;

export function Component(): ReactNode {
  const t = useWorkTexts();
  const { failures } = useTaskTexts();
  const { id } = useParams({ from: "/inside/operate/operator/tasks/$id" });
  const query = useOperatorData("/operator/tasks/{id}", {
    params: { id },
    everyMs: (task) => !hasEnded(task) && EVERY_MS,
  });
  const task = query.data;
  return (
    <>
      <PageHead
        title={task?.model ?? t.task}
        back={{ to: "/operator/tasks", label: t.tasksTitle }}
        actions={
          task === undefined ? null : (
            <TaskActions taskId={id} model={task.model} ended={hasEnded(task)} price={task.price} />
          )
        }
      />
      <Loaded query={query}>
        {(shown) => (
          <>
            <TaskState task={shown} />
            {shown.errorMessage === null ? null : (
              <p className="banner banner-danger">
                {shown.errorCode === null ? null : (
                  <Named names={failures} word={shown.errorCode} />
                )}{" "}
                {shown.errorMessage}
              </p>
            )}
            <div className="operator-columns">
              <TaskMoney task={shown} />
              <TaskAbout task={shown} />
            </div>
            <Card title={t.parameters}>
              <CodeBlock code={JSON.stringify(shown.parameters, null, 2)} label={t.parameters} />
            </Card>
            <Happened task={shown} />
            <Webhooks task={shown} />
          </>
        )}
      </Loaded>
    </>
  );
}

function hasEnded(task: OperatorTaskDetail | undefined): boolean {
  return task?.state === "completed" || task?.state === "failed";
}

function Happened({ task }: { readonly task: OperatorTaskDetail }): ReactNode {
  const t = useWorkTexts();
  return (
    <Card title={t.events}>
      <ol className="operator-tasks-events">
        {task.events.map(({ at, kind, detail }, index) => (
          <li key={`${at} ${index}`}>
            <Time iso={at} />{" "}
            <span>
              <Named names={t.eventKinds} word={kind} />
            </span>{" "}
            <AuditValue value={detail} label={t.details} />
          </li>
        ))}
      </ol>
    </Card>
  );
}

function Webhooks({ task }: { readonly task: OperatorTaskDetail }): ReactNode {
  const t = useWorkTexts();
  return (
    <Card title={t.webhooks}>
      {task.deliveries.length === 0 ? (
        <p className="quiet">{t.noWebhooks}</p>
      ) : (
        <Facts
          items={task.deliveries.map(({ id, url, state, tries }) => [
            url,
            <span key={id} className="row">
              <Status tone={DELIVERY_TONES[state]}>{t.deliveryStates[state]}</Status>
              <span className="quiet small">{t.tries(tries)}</span>
            </span>,
          ])}
        />
      )}
    </Card>
  );
}
