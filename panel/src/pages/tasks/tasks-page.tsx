/** The account's tasks as they are now, and the secret that signs their webhooks. */
import type { ReactNode } from "react";
import { useMay } from "../../app/session.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { useTaskTexts } from "../../ui/tasks/use-task-texts.ts";
import { useFilters } from "../../ui/use-filters.ts";
import { TaskTable } from "./task-table.tsx";
import "./tasks.css";
import { WebhookSecret } from "./webhook-secret.tsx";

const VIEWS = ["tasks", "webhooks"] as const;

export function Component(): ReactNode {
  const t = useTaskTexts();
  const mayOrder = useMay("manager");
  const view = useFilters({ tab: "tasks" });
  return (
    <>
      <PageHead
        title={t.title}
        lead={t.lead}
        actions={
          mayOrder ? (
            <ButtonLink look="primary" icon="plus" to="/playground" search={{ tab: "tasks" }}>
              {t.newTask}
            </ButtonLink>
          ) : null
        }
      />
      <Tabs
        label={t.views}
        value={VIEWS.find((one) => one === view.values.tab) ?? "tasks"}
        onChange={(tab) => view.set({ tab })}
        tabs={[
          { value: "tasks", label: t.tabs.tasks, content: <TaskTable /> },
          { value: "webhooks", label: t.tabs.webhooks, content: <WebhookSecret /> },
        ]}
      />
    </>
  );
}
