/**
 * The catalogue: what is in force, an editor that checks before it applies, and every version that
 * there was.
 */
import { useState } from "react";
import type { ReactNode } from "react";
import { useOperatorData } from "../../api/operator.ts";
import { useToasts } from "../../ui/toast.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { useFilters } from "../../ui/use-filters.ts";
import type { Draft } from "./draft.ts";
import { Editor, type EditorView } from "./editor.tsx";
import { History } from "./history.tsx";
import { LeaveGuard } from "./leave-guard.tsx";
import { UpstreamList } from "./upstream-list.tsx";
import { useCatalogueTexts } from "./use-catalogue-texts.ts";
import { useListTexts } from "./use-list-texts.ts";
import { VersionView } from "./version-view.tsx";
import "./operator-catalogue.css";

const VIEWS = ["source", "edit", "list", "history"] as const;
const EDITOR_VIEWS = ["prices", "yaml"] as const satisfies readonly EditorView[];

export function Component(): ReactNode {
  const t = useCatalogueTexts();
  const lists = useListTexts();
  const toasts = useToasts();
  const view = useFilters({ tab: "source", as: "prices", version: "" });
  const query = useOperatorData("/operator/catalogue");
  // Kept here, so that a look at another tab loses nothing.
  const [draft, setDraft] = useState<Draft | null>(null);
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      <LeaveGuard active={draft !== null} />
      <Loaded query={query}>
        {(inForce) => (
          <Tabs
            label={t.views}
            value={VIEWS.find((one) => one === view.values.tab) ?? "source"}
            onChange={(tab) => view.set({ tab })}
            tabs={[
              { value: "source", label: t.tabSource, content: <VersionView version={inForce} /> },
              {
                value: "edit",
                label: t.tabEdit,
                content: (
                  <Editor
                    draft={draft ?? { source: inForce.source, base: inForce.version }}
                    inForce={inForce}
                    view={EDITOR_VIEWS.find((one) => one === view.values.as) ?? "prices"}
                    onView={(as) => view.set({ as })}
                    onDraft={setDraft}
                    onApplied={() => {
                      setDraft(null);
                      view.set({ tab: "source" });
                    }}
                  />
                ),
              },
              {
                value: "list",
                label: lists.tab,
                content: (
                  <UpstreamList
                    source={draft?.source ?? inForce.source}
                    onTake={(source) => {
                      setDraft({ source, base: draft?.base ?? inForce.version });
                      view.set({ tab: "edit", as: "yaml" });
                    }}
                  />
                ),
              },
              {
                value: "history",
                label: t.tabHistory,
                content: (
                  <History
                    inForce={inForce.version}
                    chosen={view.values.version}
                    onChoose={(version) => view.set({ version })}
                    onTake={({ source, version }) => {
                      setDraft({ source, base: inForce.version });
                      toasts.done(t.taken(String(version)));
                      view.set({ tab: "edit" });
                    }}
                  />
                ),
              },
            ]}
          />
        )}
      </Loaded>
    </>
  );
}
