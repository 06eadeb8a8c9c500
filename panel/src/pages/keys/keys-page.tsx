/** All API keys of the account: what each spent, what it may, and making new ones. */
import { useMemo, useState } from "react";
import type { ReactNode } from "react";
import type { PanelKey, PanelKeyMade } from "../../../../src/contract/panel/panel-key.ts";
import { usePages } from "../../api/use-pages.ts";
import { useMay, useMayUseKeys, useSession } from "../../app/session.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { CursorList } from "../../ui/cursor-list.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { Switch } from "../../ui/switch.tsx";
import { useFilters } from "../../ui/use-filters.ts";
import { CreateKey } from "./create-key.tsx";
import { FirstKey } from "./first-key.tsx";
import { FreezeAll } from "./freeze-all.tsx";
import { keyColumns } from "./key-columns.tsx";
import { KeyDialogs } from "./key-dialogs.tsx";
import type { KeyDialog } from "./key-dialogs.tsx";
import "./keys.css";
import { ShownSecret } from "./shown-secret.tsx";
import { useKeysTexts } from "./use-keys-texts.ts";

export function Component(): ReactNode {
  const t = useKeysTexts();
  const formats = useFormats();
  const mayChange = useMayUseKeys();
  const mayFreezeAll = useMay("manager");
  const { member } = useSession();
  const filters = useFilters({ deleted: "" });
  const pages = usePages("/keys", { query: filters.values });
  // Of a key that takes another one's place: kept here only, and only until it was seen.
  const [made, setMade] = useState<PanelKeyMade | null>(null);
  const [asked, setAsked] = useState<{ readonly what: KeyDialog; readonly of: PanelKey } | null>(
    null,
  );
  const columns = useMemo(
    () =>
      keyColumns(
        t,
        formats,
        member.memberId,
        mayChange ? (what, of) => setAsked({ what, of }) : null,
      ),
    [t, formats, member.memberId, mayChange],
  );
  const anyActive = pages.rows?.some(({ state }) => state === "active") === true;
  return (
    <>
      <PageHead
        title={t.title}
        lead={t.lead}
        actions={
          mayChange ? (
            <>
              {anyActive && mayFreezeAll ? <FreezeAll /> : null}
              <CreateKey />
            </>
          ) : null
        }
      />
      <ShownSecret made={made} onSaved={() => setMade(null)} />
      {asked === null ? null : (
        <KeyDialogs
          of={asked.of}
          asked={asked.what}
          onAsk={() => setAsked(null)}
          onRolled={setMade}
        />
      )}
      {mayChange ? <FirstKey none={pages.rows?.length === 0} /> : null}
      <Switch
        label={t.showDeleted}
        checked={filters.values.deleted === "true"}
        onChange={(deleted) => filters.set({ deleted: deleted ? "true" : "" })}
      />
      <CursorList
        pages={pages}
        caption={t.caption}
        columns={columns}
        rowKey={({ hash }) => hash}
        empty={<EmptyState title={t.emptyTitle} text={mayChange ? t.emptyText : t.emptyViewer} />}
      />
    </>
  );
}
