/** A task's money and times, and who makes it. */
import type { ReactNode } from "react";
import type { OperatorTaskDetail } from "../../../../src/contract/panel/operator-tasks.ts";
import { Card } from "../../ui/card.tsx";
import { Money } from "../../ui/money.tsx";
import { CopiedId } from "../../ui/operator/copied-id.tsx";
import { AccountLink } from "../../ui/operator/account-link.tsx";
import { useOperatorTexts } from "../../ui/operator/use-operator-texts.ts";
import { useWorkTexts } from "../../ui/operator/use-work-texts.ts";
import { Facts } from "../../ui/stat.tsx";
import { Time } from "../../ui/time.tsx";

interface OfTask {
  readonly task: OperatorTaskDetail;
}

export function TaskMoney({ task }: OfTask): ReactNode {
  const t = useWorkTexts();
  const shared = useOperatorTexts();
  return (
    <Card title={t.money}>
      <Facts
        items={[
          [t.price, <Money key="p" amount={task.price} />],
          [shared.charged, task.charged === null ? "—" : <Money key="c" amount={task.charged} />],
          [
            shared.cost,
            task.upstreamCost === null ? (
              shared.unknown
            ) : (
              <Money key="u" amount={task.upstreamCost} />
            ),
          ],
          [
            t.files,
            task.files.length === 0 ? (
              t.noFiles
            ) : (
              <ul key="f">
                {task.files.map(({ url }) => (
                  <li key={url}>
                    <a href={url} target="_blank" rel="noopener noreferrer">
                      {url}
                    </a>
                  </li>
                ))}
              </ul>
            ),
          ],
        ]}
      />
    </Card>
  );
}

export function TaskAbout({ task }: OfTask): ReactNode {
  const t = useWorkTexts();
  const shared = useOperatorTexts();
  return (
    <Card title={t.aboutTask}>
      <Facts
        items={[
          [
            shared.account,
            <AccountLink key="a" accountId={task.accountId} name={task.accountName} />,
          ],
          [shared.key, task.keyMask === null ? null : <code key="k">{task.keyMask}</code>],
          [t.task, <CopiedId key="i" id={task.taskId} label={t.task} />],
          [shared.upstream, task.upstream],
          [t.upstreamModel, task.upstreamModel],
          [t.submissions, String(task.attempts)],
          [t.createdAt, <Time key="c" iso={task.createdAt} />],
          [shared.startedAt, <Time key="s" iso={task.startedAt} />],
          [t.completedAt, <Time key="e" iso={task.completedAt} />],
          [t.deadlineAt, <Time key="d" iso={task.deadlineAt} />],
        ]}
      />
    </Card>
  );
}
