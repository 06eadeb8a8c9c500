/**
 * Why a request cost what it did: each line of its price, exactly, by the list that was in force
 * when it began.
 */
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { PanelReceipt, PriceReason } from "../../../../src/contract/panel/panel-request.ts";
import { mostPlaces } from "../../i18n/format-money.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Card } from "../card.tsx";
import { DataTable } from "../data-table.tsx";
import type { Column } from "../data-table.tsx";
import { compareDecimals } from "../decimal.ts";
import { Money } from "../money.tsx";
import { Facts } from "../stat.tsx";
import { useReceiptTexts } from "./use-receipt-texts.ts";

type Line = PriceReason["lines"][number];

export function WhyThisPrice({ receipt }: { readonly receipt: PanelReceipt }): ReactNode {
  const t = useReceiptTexts();
  const { price, charged, completedAt } = receipt;
  if (price !== null) return <Reason price={price} variants={receipt.variants} />;
  return (
    <Card title={t.why}>
      <p className="quiet">
        {completedAt === null ? t.stillRuns : charged === "0" ? t.noPrice : t.priceUnknown}
      </p>
    </Card>
  );
}

interface ReasonProps {
  readonly price: PriceReason;
  readonly variants: PanelReceipt["variants"];
}

function Reason({ price, variants }: ReasonProps): ReactNode {
  const t = useReceiptTexts();
  const { count, decimal, date } = useFormats();
  const { lines } = price;
  const places = mostPlaces(lines.map(({ amount }) => amount));
  const columns = useMemo(
    (): readonly Column<Line>[] => [
      { id: "what", header: t.what, cell: ({ what }) => t.units[what] ?? what },
      {
        id: "quantity",
        header: t.quantity,
        align: "end",
        cell: ({ quantity }) => <span className="figure">{decimal(quantity)}</span>,
      },
      {
        id: "unit",
        header: t.unitPrice,
        align: "end",
        cell: ({ unitPrice, per }) => (
          <span>
            <Money amount={unitPrice} /> <span className="quiet small">{t.per[per]}</span>
          </span>
        ),
      },
      {
        id: "amount",
        header: t.amount,
        align: "end",
        cell: ({ amount }) => <Money amount={amount} places={places} />,
      },
    ],
    [t, decimal, places],
  );
  const { multipliers, exact, version, appliedAt } = price;
  const same = compareDecimals(exact, price.charged) === 0 && price.price === price.charged;
  return (
    <Card title={t.why}>
      <DataTable
        caption={t.whyCaption}
        columns={columns}
        rows={lines}
        rowKey={({ what }) => what}
      />
      {multipliers.map(({ by, when }) => {
        const because = Object.entries(when).map(([name, value]) => `${name} = ${value}`);
        return <p key={because.join()}>{t.multiplied(decimal(by), because.join(", "))}</p>;
      })}
      <Facts
        items={[
          [t.tier, price.tier === null ? null : t.tierAbove(price.tier, count(price.tier))],
          ...variants.map(({ field, asked, used, unconfirmed }): [string, string] => [
            t.variants[field],
            t.variant(asked ?? t.notAsked, used ?? t.notReported, unconfirmed === true),
          ]),
          // Where nothing was rounded and all of it was taken, one sum says it.
          [t.exactSum, same ? null : <Money key="e" amount={exact} />],
          [t.rounded, same ? null : <Money key="p" amount={price.price} />],
          [
            t.taken,
            <b key="t">
              <Money amount={price.charged} />
            </b>,
          ],
          [
            t.priceVersion,
            appliedAt === null ? String(version) : t.versionSince(version, date(appliedAt)),
          ],
        ]}
      />
      {price.charged === price.price ? null : <p className="quiet small">{t.takenLess}</p>}
    </Card>
  );
}
