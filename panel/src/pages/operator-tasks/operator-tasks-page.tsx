/** The tasks of all accounts, and those that need the operator. */
import type { ReactNode } from "react";
import { useWorkTexts } from "../../ui/operator/use-work-texts.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { useFilters } from "../../ui/use-filters.ts";
import { AllTasks } from "./all-tasks.tsx";
import { StuckList } from "./stuck-list.tsx";

const VIEWS = ["all", "stuck"] as const;

export function Component(): ReactNode {
  const t = useWorkTexts();
  const view = useFilters({ tab: "all" });
  return (
    <>
      <PageHead title={t.tasksTitle} lead={t.tasksLead} />
      <Tabs
        label={t.views}
        value={VIEWS.find((one) => one === view.values.tab) ?? "all"}
        onChange={(tab) => view.set({ tab })}
        tabs={[
          { value: "all", label: t.tabAll, content: <AllTasks /> },
          { value: "stuck", label: t.tabStuck, content: <StuckList /> },
        ]}
      />
    </>
  );
}
