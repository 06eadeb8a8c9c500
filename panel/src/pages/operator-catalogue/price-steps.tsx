/** Every price that changes, with the old one, the new one and by how much; big changes are told. */
import { useMemo } from "react";
import type { ReactNode } from "react";
import { BIG_CHANGE_PERCENT } from "../../../../src/contract/price/change-of.ts";
import type { PriceStep } from "../../../../src/contract/price/price-step.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { ChangeSize } from "./change-size.tsx";
import { PartName } from "./part-name.tsx";
import { useCatalogueTexts } from "./use-catalogue-texts.ts";

export function PriceSteps({ steps }: { readonly steps: readonly PriceStep[] }): ReactNode {
  const t = useCatalogueTexts();
  const { decimal } = useFormats();
  const big = steps.filter((step) => step.big).length;
  const columns = useMemo(
    (): readonly Column<PriceStep>[] => [
      { id: "model", header: t.model, cell: (step) => <PartName {...step} /> },
      { id: "kind", header: t.field, cell: ({ kind }) => <code>{kind}</code> },
      {
        id: "before",
        header: t.before,
        align: "end",
        cell: ({ before }) => <del className="figure">{decimal(before)}</del>,
      },
      {
        id: "after",
        header: t.after,
        align: "end",
        cell: ({ after }) => <ins className="figure">{decimal(after)}</ins>,
      },
      {
        id: "change",
        header: t.change,
        align: "end",
        cell: ({ percent, big: isBig }) => <ChangeSize percent={percent} big={isBig} />,
      },
    ],
    [t, decimal],
  );
  return (
    <div className="stack">
      <h3>{t.prices}</h3>
      {big === 0 ? null : (
        <p className="banner banner-warn" role="alert">
          {t.bigSteps(big, String(BIG_CHANGE_PERCENT))}
        </p>
      )}
      <DataTable
        caption={t.pricesCaption}
        columns={columns}
        rows={steps}
        rowKey={({ model, tier, variant, kind }) => [model, tier, variant, kind].join("\n")}
      />
    </div>
  );
}
