/** All top-ups of the account, newest first, with how each ended. */
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { TopUp } from "../../../../src/contract/panel/top-up.ts";
import { usePages } from "../../api/use-pages.ts";
import type { BillingTexts } from "../../i18n/texts/billing.ru.ts";
import { useFormats } from "../../i18n/locale.tsx";
import type { Formats } from "../../i18n/locale.tsx";
import { CursorList } from "../../ui/cursor-list.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Money } from "../../ui/money.tsx";
import { RowTime } from "../../ui/time.tsx";
import { TopUpState } from "./top-up-state.tsx";
import { useBillingTexts } from "./use-billing-texts.ts";

export function TopUpHistory(): ReactNode {
  const t = useBillingTexts();
  const pages = usePages("/top-ups");
  const formats = useFormats();
  const columns = useMemo(() => topUpColumns(t, formats), [t, formats]);
  return (
    <CursorList
      pages={pages}
      caption={t.historyCaption}
      columns={columns}
      rowKey={({ topUpId }) => topUpId}
      empty={<EmptyState title={t.historyEmpty} text={t.historyEmptyText} />}
    />
  );
}

function topUpColumns(t: BillingTexts, { inZone }: Formats): readonly Column<TopUp>[] {
  return [
    {
      id: "at",
      header: inZone(t.at),
      leads: true,
      cell: ({ topUpId, createdAt }) => (
        <Link to="/billing/top-ups/$id" params={{ id: topUpId }}>
          <RowTime iso={createdAt} />
        </Link>
      ),
    },
    { id: "state", header: t.state, cell: ({ state }) => <TopUpState state={state} /> },
    {
      id: "amount",
      header: t.amount,
      align: "end",
      cell: ({ amount }) => <Money amount={amount} brief="down" />,
    },
    { id: "method", header: t.method, cell: ({ method }) => t.methods[method] ?? method },
    {
      id: "by",
      header: t.by,
      cell: ({ createdBy }) => createdBy ?? <span className="quiet">{t.somebody}</span>,
    },
    {
      id: "why",
      header: t.why,
      cell: ({ reason, refunded }) =>
        reason === null ? (
          refunded === "0" ? (
            <span className="quiet">—</span>
          ) : (
            <span>
              {t.refunded} <Money amount={refunded} brief="up" />
            </span>
          )
        ) : (
          (t.reasons[reason] ?? reason)
        ),
    },
  ];
}
