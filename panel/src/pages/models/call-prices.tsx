/** The price of a model that answers in one call: a row for each thing that is paid for. */
import { useMemo } from "react";
import type { ReactNode } from "react";
import { useFormats } from "../../i18n/locale.tsx";
import { Card } from "../../ui/card.tsx";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { Money } from "../../ui/money.tsx";
import { useReceiptTexts } from "../../ui/receipt/use-receipt-texts.ts";
import { unitOfRow, type CallPrice } from "./model-price.ts";
import { useModelsTexts } from "./use-models-texts.ts";

type Row = CallPrice["rows"][number];

export function CallPrices({ price: { rows, batch } }: { readonly price: CallPrice }): ReactNode {
  const t = useModelsTexts();
  const words = useReceiptTexts();
  const { decimal } = useFormats();
  const columns = useMemo(
    (): readonly Column<Row>[] => [
      { id: "what", header: t.what, cell: (row) => nameOf(row, words.units, t.imagePriceBy) },
      {
        id: "price",
        header: t.price,
        align: "end",
        cell: (row) => (
          <span>
            <Money amount={row.amount} />{" "}
            <span className="quiet small">{t.perUnit(unitOfRow(row, t))}</span>
          </span>
        ),
      },
    ],
    [t, words],
  );
  return (
    <Card title={t.prices}>
      <DataTable
        caption={t.pricesCaption}
        columns={columns}
        rows={rows}
        rowKey={(row) => nameOf(row, {}, {})}
      />
      {batch === undefined ? null : (
        <p>{t.multiplied(decimal(batch), `${t.variants.serviceTier}: batch`)}</p>
      )}
    </Card>
  );
}

function nameOf(
  { what, when }: Row,
  units: Readonly<Record<string, string>>,
  names: Readonly<Record<string, string>>,
): string {
  const values = Object.entries(when).map(([name, value]) => `${names[name] ?? name} ${value}`);
  return [units[what] ?? what, ...values].join(", ");
}
