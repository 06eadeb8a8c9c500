/** The newest requests, each with what it cost: the way to their receipts. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { PanelRequest } from "../../../../src/contract/panel/panel-request.ts";
import { readApi } from "../../api/call-api.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Charge } from "../../ui/money.tsx";
import { StatusBadge } from "../../ui/status-badge.tsx";
import { RowTime } from "../../ui/time.tsx";
import { TwoLines } from "../../ui/two-lines.tsx";
import { useOverviewTexts } from "./use-overview-texts.ts";

const SHOWN = 6;
const EVERY_MS = 30_000;

export function LastRequests({ keyHash }: { readonly keyHash: string }): ReactNode {
  const t = useOverviewTexts();
  const { duration, zone } = useFormats();
  const query = useQuery({
    queryKey: ["requests", "last", keyHash],
    refetchInterval: EVERY_MS,
    queryFn: ({ signal }) => readApi("/requests", { query: { limit: SHOWN, keyHash }, signal }),
  });
  const columns = useMemo(
    (): readonly Column<PanelRequest>[] => [
      {
        id: "when",
        header: t.whenIn(zone()),
        cell: ({ id, startedAt }) => (
          <Link className="row-link" to="/requests/$id" params={{ id }}>
            <RowTime iso={startedAt} />
          </Link>
        ),
      },
      {
        id: "model",
        header: t.modelAndKey,
        leads: true,
        share: 40,
        cell: ({ model, key }) => (
          <TwoLines title={model} detail={key?.name ?? t.keyGone}>
            {model}
          </TwoLines>
        ),
      },
      {
        id: "took",
        header: t.figureNames.duration,
        align: "end",
        cell: ({ state, durationMs }) =>
          state !== "completed" ? (
            <StatusBadge status={state} />
          ) : durationMs === null ? (
            "—"
          ) : (
            <span className="figure">{duration(durationMs)}</span>
          ),
      },
      {
        id: "charged",
        header: t.chargedRoubles,
        align: "end",
        cell: ({ charged }) => <Charge amount={charged} />,
      },
    ],
    [t, duration, zone],
  );
  return (
    <section className="overview-part">
      <header className="overview-part-head">
        <h2>{t.lastRequests}</h2>
        <Link to="/requests">
          {t.allRequests} <Icon name="next" size={14} />
        </Link>
      </header>
      <Loaded query={query}>
        {({ data }) => (
          <DataTable
            caption={t.lastRequests}
            columns={columns}
            rows={data}
            rowKey={({ id }) => id}
          />
        )}
      </Loaded>
    </section>
  );
}
