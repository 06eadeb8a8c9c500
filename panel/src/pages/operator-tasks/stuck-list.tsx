/** Tasks that the operator should look at; on demand, all tasks are held against the ledger. */
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { ReactNode } from "react";
import type { StuckTasks } from "../../../../src/contract/panel/operator-tasks.ts";
import { useOperatorData } from "../../api/operator.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Status } from "../../ui/status.tsx";
import { AccountLink } from "../../ui/operator/account-link.tsx";
import { Named } from "../../ui/operator/named.tsx";
import { FindingWords } from "../../ui/operator/operator-words.tsx";
import { AuditValue } from "../../ui/operator/audit-value.tsx";
import { useOperatorTexts } from "../../ui/operator/use-operator-texts.ts";
import { useWorkTexts } from "../../ui/operator/use-work-texts.ts";
import { RelativeTime } from "../../ui/time.tsx";
import { TaskActions } from "./task-actions.tsx";

type Doubtful = StuckTasks["doubtful"][number];
type Mistake = NonNullable<StuckTasks["mistakes"]>[number];

export function StuckList(): ReactNode {
  const t = useWorkTexts();
  const shared = useOperatorTexts();
  const query = useOperatorData("/operator/tasks/stuck", { query: { reconcile: "false" } });
  const columns = useMemo(
    (): readonly Column<Doubtful>[] => [
      { id: "task", header: t.task, cell: ({ taskId }) => <TaskLink taskId={taskId} /> },
      {
        id: "account",
        header: shared.account,
        cell: ({ accountId, accountName }) => (
          <AccountLink accountId={accountId} name={accountName} />
        ),
      },
      {
        id: "kind",
        header: t.problem,
        cell: ({ kind }) => <Status tone="warn">{t.problems[kind]}</Status>,
      },
      { id: "upstream", header: shared.upstream, cell: ({ upstream }) => upstream ?? "—" },
      { id: "since", header: t.since, cell: ({ at }) => <RelativeTime iso={at} /> },
      {
        id: "detail",
        header: t.details,
        cell: ({ detail }) => <AuditValue value={detail} label={t.details} />,
      },
      {
        id: "actions",
        header: t.actions,
        cell: ({ taskId, kind }) => (
          <TaskActions taskId={taskId} model="" ended={kind === "late_end"} small />
        ),
      },
    ],
    [t, shared],
  );
  return (
    <div className="stack">
      <p className="quiet">{t.stuckText}</p>
      <Loaded query={query}>
        {({ doubtful }) => (
          <DataTable
            caption={t.stuckCaption}
            columns={columns}
            rows={doubtful}
            rowKey={({ taskId, kind }) => `${taskId} ${kind}`}
            empty={<EmptyState title={t.noStuck} text={t.noStuckText} />}
          />
        )}
      </Loaded>
      <Reconciliation />
    </div>
  );
}

function Reconciliation(): ReactNode {
  const t = useWorkTexts();
  const [asked, setAsked] = useState(false);
  const query = useOperatorData("/operator/tasks/stuck", {
    query: { reconcile: "true" },
    enabled: asked,
  });
  const columns = useMemo(
    (): readonly Column<Mistake>[] => [
      { id: "task", header: t.task, cell: ({ taskId }) => <TaskLink taskId={taskId} /> },
      {
        id: "kind",
        header: t.problem,
        cell: ({ kind }) => <Named names={t.mistakeKinds} word={kind} />,
      },
      {
        id: "expected",
        header: t.expected,
        cell: ({ kind, ...rest }) => (
          <FindingWords books="tasks" side="expected" finding={{ code: kind, ...rest }} />
        ),
      },
      {
        id: "found",
        header: t.found,
        cell: ({ kind, ...rest }) => (
          <FindingWords books="tasks" side="found" finding={{ code: kind, ...rest }} />
        ),
      },
    ],
    [t],
  );
  return (
    <Card title={t.mistakesCaption}>
      {asked ? (
        <Loaded query={query}>
          {({ mistakes }) =>
            mistakes === null || mistakes.length === 0 ? (
              <p role="status">{t.noMistakes}</p>
            ) : (
              <DataTable
                caption={t.mistakesCaption}
                columns={columns}
                rows={mistakes}
                rowKey={({ taskId, kind }) => `${taskId} ${kind}`}
              />
            )
          }
        </Loaded>
      ) : (
        <div className="row">
          <Button onClick={() => setAsked(true)}>{t.reconcile}</Button>
          <span className="quiet small">{t.reconcileText}</span>
        </div>
      )}
    </Card>
  );
}

function TaskLink({ taskId }: { readonly taskId: string }): ReactNode {
  return (
    <Link to="/operator/tasks/$id" params={{ id: taskId }}>
      <code>{taskId}</code>
    </Link>
  );
}
