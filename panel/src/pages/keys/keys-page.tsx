/** All API keys of the account: what each spent, what it may, and making new ones. */
import { useMemo } from "react";
import type { ReactNode } from "react";
import { usePages } from "../../api/use-pages.ts";
import { useMay } from "../../app/session.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { CursorList } from "../../ui/cursor-list.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { Switch } from "../../ui/switch.tsx";
import { useFilters } from "../../ui/use-filters.ts";
import { CreateKey } from "./create-key.tsx";
import { FreezeAll } from "./freeze-all.tsx";
import { keyColumns } from "./key-columns.tsx";
import "./keys.css";
import { useKeysTexts } from "./use-keys-texts.ts";

export function Component(): ReactNode {
  const t = useKeysTexts();
  const formats = useFormats();
  const mayChange = useMay("manager");
  const filters = useFilters({ deleted: "" });
  const pages = usePages("/keys", { query: filters.values });
  const columns = useMemo(() => keyColumns(t, formats), [t, formats]);
  const anyActive = pages.rows?.some(({ state }) => state === "active") === true;
  return (
    <>
      <PageHead
        title={t.title}
        lead={t.lead}
        actions={
          mayChange ? (
            <>
              {anyActive ? <FreezeAll /> : null}
              <CreateKey />
            </>
          ) : null
        }
      />
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
