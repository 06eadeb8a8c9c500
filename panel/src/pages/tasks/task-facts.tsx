/**
 * The parts of a task's page that only tell: its money, its ids and times, what happened, and who
 * tried to make it.
 */
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { PanelTask } from "../../../../src/contract/panel/panel-task.ts";
import { Card } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Money } from "../../ui/money.tsx";
import { Facts } from "../../ui/stat.tsx";
import { Time } from "../../ui/time.tsx";
import { useTaskTexts } from "../../ui/tasks/use-task-texts.ts";
import { TaskKey } from "./task-columns.tsx";

interface OfTask {
  readonly task: PanelTask;
}

export function TaskMoney({ task: { money, priceVersion, taskId } }: OfTask): ReactNode {
  const t = useTaskTexts();
  return (
    <Card title={t.money}>
      <Facts
        items={[
          [t.ordered, <Money key="o" amount={money.ordered} />],
          [t.held, <Money key="h" amount={money.held} />],
          [t.charged, <Money key="c" amount={money.charged} />],
          [t.released, <Money key="r" amount={money.released} />],
          [t.priceVersion, String(priceVersion)],
          [
            t.receipt,
            <Link key="l" to="/requests/$id" params={{ id: taskId }}>
              {t.openReceipt}
            </Link>,
          ],
        ]}
      />
    </Card>
  );
}

export function TaskAbout({ task }: OfTask): ReactNode {
  const t = useTaskTexts();
  return (
    <Card title={t.about}>
      <Facts
        items={[
          [t.taskId, <CopiedId key="t" id={task.taskId} label={t.taskId} />],
          [t.requestId, <CopiedId key="r" id={task.requestId} label={t.requestId} />],
          [t.key, <TaskKey key="k" taskKey={task.key} t={t} />],
          [t.createdAt, <Time key="c" iso={task.createdAt} />],
          [t.startedAt, <Time key="s" iso={task.startedAt} />],
          [t.completedAt, <Time key="e" iso={task.completedAt} />],
          [t.deadlineAt, <Time key="d" iso={task.deadlineAt} />],
          [t.callback, task.callbackUrl],
        ]}
      />
    </Card>
  );
}

function CopiedId({ id, label }: { readonly id: string; readonly label: string }): ReactNode {
  return (
    <span className="row">
      <code>{id}</code> <CopyButton text={id} label={label} bare />
    </span>
  );
}

export function TaskHistory({ task }: OfTask): ReactNode {
  const t = useTaskTexts();
  return (
    <Card title={t.history}>
      <ol className="tasks-history">
        {task.history.map(({ at, event }) => (
          <li key={`${at} ${event}`}>
            <Time iso={at} /> <span>{t.moments[event]}</span>
          </li>
        ))}
      </ol>
    </Card>
  );
}

export function TaskAttempts({ task }: OfTask): ReactNode {
  const t = useTaskTexts();
  const columns = useMemo(
    (): readonly Column<PanelTask["attempts"][number]>[] => [
      { id: "number", header: t.attempt, cell: ({ number }) => number },
      { id: "start", header: t.attemptStart, cell: ({ startedAt }) => <Time iso={startedAt} /> },
      { id: "end", header: t.attemptEnd, cell: ({ endedAt }) => <Time iso={endedAt} /> },
      { id: "outcome", header: t.outcome, cell: ({ outcome }) => t.outcomes[outcome] },
    ],
    [t],
  );
  return (
    <Card title={t.attempts}>
      <DataTable
        caption={t.attemptsCaption}
        columns={columns}
        rows={task.attempts}
        rowKey={({ number }) => String(number)}
      />
    </Card>
  );
}
