/** The account's groups of keys: what each spent, what its limit leaves, and making new ones. */
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { ReactNode } from "react";
import type { PanelGroup } from "../../../../src/contract/panel/panel-group.ts";
import { groupsQuery } from "../../api/account-groups.ts";
import { useMay } from "../../app/session.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { groupColumns } from "./group-columns.tsx";
import type { GroupDialog } from "./group-dialog.ts";
import { GroupDialogs } from "./group-dialogs.tsx";
import { GroupForm } from "./group-form.tsx";
import "./groups.css";
import { useGroupsTexts } from "./use-groups-texts.ts";

export function Component(): ReactNode {
  const t = useGroupsTexts();
  const formats = useFormats();
  const mayChange = useMay("manager");
  const groups = useQuery(groupsQuery);
  const [making, setMaking] = useState(false);
  const [asked, setAsked] = useState<{
    readonly what: GroupDialog;
    readonly of: PanelGroup;
  } | null>(null);
  const columns = useMemo(
    () => groupColumns(t, formats, mayChange ? (what, of) => setAsked({ what, of }) : null),
    [t, formats, mayChange],
  );
  return (
    <>
      <PageHead
        title={t.title}
        lead={t.lead}
        actions={
          mayChange ? (
            <Button look="primary" icon="plus" onClick={() => setMaking(true)}>
              {t.create}
            </Button>
          ) : null
        }
      />
      <GroupForm of={null} open={making} onOpenChange={setMaking} />
      {asked === null ? null : (
        <GroupDialogs of={asked.of} asked={asked.what} onDone={() => setAsked(null)} />
      )}
      <Loaded query={groups}>
        {({ data }) => (
          <DataTable
            caption={t.caption}
            columns={columns}
            rows={data}
            rowKey={({ id }) => id}
            empty={
              <EmptyState title={t.emptyTitle} text={mayChange ? t.emptyText : t.emptyViewer} />
            }
          />
        )}
      </Loaded>
    </>
  );
}
