/** The keys that most was spent with, each with how much of its limit is used. */
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { Usage, UsagePart } from "../../../../src/contract/panel/usage.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Meter } from "../../ui/meter.tsx";
import { Money } from "../../ui/money.tsx";
import { usedOf } from "./used-of.ts";
import { useOverviewTexts } from "./use-overview-texts.ts";

export function DearestKeys({ usage }: { readonly usage: Usage }): ReactNode {
  const t = useOverviewTexts();
  const { share, moneyWhole } = useFormats();
  const periods = new Set(usage.parts.flatMap(({ limit }) => limit?.period ?? []));
  const [period] = periods;
  const limitHead = periods.size === 1 && period !== undefined ? t.limitOf[period] : t.limit;
  const columns = useMemo(
    (): readonly Column<UsagePart>[] => [
      {
        id: "key",
        header: t.key,
        leads: true,
        share: 38,
        cell: ({ key }) =>
          key === null ? (
            <span className="quiet">{t.keyGone}</span>
          ) : (
            <Link className="row-link" to="/keys/$hash" params={{ hash: key.hash }}>
              {key.name}
            </Link>
          ),
      },
      {
        id: "limit",
        header: limitHead,
        cell: ({ limit }) =>
          limit === null ? (
            <span className="quiet">{t.noLimit}</span>
          ) : (
            <span className="overview-limit">
              <span title={t.limitOf[limit.period]}>
                {t.usedOf(share(usedOf(limit)), moneyWhole(limit.amount))}
              </span>
              <Meter remaining={limit.remaining} of={limit.amount} />
            </span>
          ),
      },
      {
        id: "spent",
        header: t.figureNames.spent,
        align: "end",
        cell: ({ sums }) => <Money amount={sums.charged} brief="up" />,
      },
    ],
    [t, share, moneyWhole, limitHead],
  );
  return (
    <section className="overview-part">
      <header className="overview-part-head">
        <h2>{t.keys}</h2>
        <Link to="/keys">
          {t.allKeys} <Icon name="next" size={14} />
        </Link>
      </header>
      <DataTable
        caption={t.keys}
        columns={columns}
        rows={usage.parts}
        rowKey={({ key }) => key?.hash ?? ""}
        empty={<p className="empty">{t.noSpend}</p>}
      />
    </section>
  );
}
