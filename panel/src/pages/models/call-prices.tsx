/** The price of a model that answers in one call: a row for each thing that is paid for. */
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { PanelModel } from "../../../../src/contract/panel/panel-model.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Card } from "../../ui/card.tsx";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { Money } from "../../ui/money.tsx";
import { useReceiptTexts } from "../../ui/receipt/use-receipt-texts.ts";
import { useModelsTexts } from "./use-models-texts.ts";

type CallPrice = Extract<PanelModel["price"], { readonly kind: "call" }>;
type Row = CallPrice["rows"][number];

/** In a list: its first amount, and that there are others. */
export function CallPriceLine({ price: { rows } }: { readonly price: CallPrice }): ReactNode {
  const t = useReceiptTexts();
  const [first] = rows;
  if (first === undefined) return null;
  return (
    <span className="figure">
      <Money amount={first.amount} /> <span className="quiet small">{t.per[first.per]}</span>
      {rows.length > 1 ? " …" : null}
    </span>
  );
}

export function CallPrices({ price: { rows, batch } }: { readonly price: CallPrice }): ReactNode {
  const t = useModelsTexts();
  const words = useReceiptTexts();
  const { decimal } = useFormats();
  const columns = useMemo(
    (): readonly Column<Row>[] => [
      { id: "what", header: t.what, cell: (row) => nameOf(row, words.units) },
      {
        id: "price",
        header: t.price,
        align: "end",
        cell: ({ amount, per }) => (
          <span>
            <Money amount={amount} /> <span className="quiet small">{words.per[per]}</span>
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
        rowKey={(row) => nameOf(row, {})}
      />
      {batch === undefined ? null : (
        <p>{t.multiplied(decimal(batch), `${t.variants.serviceTier}: batch`)}</p>
      )}
    </Card>
  );
}

function nameOf({ what, when }: Row, units: Readonly<Record<string, string>>): string {
  const values = Object.entries(when).map(([name, value]) => `${name} = ${value}`);
  return [units[what] ?? what, ...values].join(", ");
}
