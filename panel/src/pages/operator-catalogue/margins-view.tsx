/**
 * What stays of every price: cost, margin and percent before and after, with all that would be sold
 * below its cost.
 */
import { useMemo, useState } from "react";
import type { ReactNode } from "react";
import type { Margin, MarginRow } from "../../../../src/contract/price/margin.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Switch } from "../../ui/switch.tsx";
import { PartName } from "./part-name.tsx";
import { shownMargins, type ShownMargin } from "./shown-margins.ts";
import { useCatalogueTexts } from "./use-catalogue-texts.ts";

export function MarginsView({ margins }: { readonly margins: readonly MarginRow[] }): ReactNode {
  const t = useCatalogueTexts();
  const { decimal } = useFormats();
  const [all, setAll] = useState(false);
  const rows = useMemo(() => shownMargins(margins), [margins]);
  const losses = rows.filter(({ belowCost }) => belowCost).length;
  const columns = useMemo((): readonly Column<ShownMargin>[] => {
    const figure = (row: ShownMargin, of: keyof Margin): ReactNode => {
      const write = (side: Margin | null): string => {
        const value = side?.[of] ?? null;
        if (side === null) return t.notSold;
        return value === null
          ? t.unknownCost
          : `${decimal(value).replace(/^-/, "−")}${of === "percent" ? "\u00A0%" : ""}`;
      };
      const [was, is] = [row.before === null ? null : write(row.before), write(row.after)];
      const loss = row.belowCost && (of === "margin" || of === "percent");
      return (
        <span className={loss ? "figure operator-catalogue-loss" : "figure"}>
          {was === null || was === is ? null : (
            <>
              <del>{was}</del> →{" "}
            </>
          )}
          {is}
        </span>
      );
    };
    return [
      {
        id: "model",
        header: t.model,
        cell: (row) => <PartName {...row} />,
      },
      {
        id: "kind",
        header: t.field,
        cell: ({ kind, belowCost }) => (
          <span className="operator-catalogue-what">
            <code>{kind}</code> {belowCost ? <Badge tone="bad">{t.belowCost}</Badge> : null}
          </span>
        ),
      },
      { id: "price", header: t.price, align: "end", cell: (row) => figure(row, "price") },
      { id: "cost", header: t.cost, align: "end", cell: (row) => figure(row, "cost") },
      { id: "margin", header: t.margin, align: "end", cell: (row) => figure(row, "margin") },
      {
        id: "percent",
        header: t.marginPercent,
        align: "end",
        cell: (row) => figure(row, "percent"),
      },
    ];
  }, [t, decimal]);
  return (
    <Card title={t.margins}>
      {losses === 0 ? null : (
        <p className="banner banner-danger" role="alert">
          {t.losses(losses)}
        </p>
      )}
      <p className="quiet small">{t.marginsText}</p>
      <DataTable
        caption={t.marginsCaption}
        columns={columns}
        rows={all ? rows : rows.filter(({ news }) => news)}
        rowKey={({ key }) => key}
        empty={<p className="quiet">{t.marginsSame}</p>}
      />
      <Switch label={t.marginsAll} checked={all} onChange={setAll} />
    </Card>
  );
}
