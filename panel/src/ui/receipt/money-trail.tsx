/**
 * Where the money of one request went: every movement with its time, and what was held after it.
 */
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { PanelReceipt } from "../../../../src/contract/panel/panel-request.ts";
import { mostPlaces } from "../../i18n/format-money.ts";
import { Card } from "../card.tsx";
import { DataTable } from "../data-table.tsx";
import { toUnits } from "../decimal.ts";
import type { Column } from "../data-table.tsx";
import { Money } from "../money.tsx";
import { Time } from "../time.tsx";
import { TrailBar } from "./trail-bar.tsx";
import { useReceiptTexts } from "./use-receipt-texts.ts";

interface Step {
  readonly at: number;
  readonly step: PanelReceipt["trail"][number];
}

export function MoneyTrail({ trail }: Pick<PanelReceipt, "trail">): ReactNode {
  const t = useReceiptTexts();
  const places = mostPlaces(trail.flatMap(({ amount, heldAfter }) => [amount, heldAfter]));
  const isStillHeld = toUnits(trail.at(-1)?.heldAfter ?? "0") > 0n;
  const columns = useMemo(
    (): readonly Column<Step>[] => [
      { id: "step", header: t.step, cell: ({ step }) => t.steps[step.kind] },
      { id: "at", header: t.when, cell: ({ step }) => <Time iso={step.at} /> },
      {
        id: "amount",
        header: t.amount,
        align: "end",
        comesTo: true,
        cell: ({ step }) => <Money amount={step.amount} places={places} />,
      },
      {
        id: "held",
        header: t.heldAfter,
        align: "end",
        cell: ({ step }) => <Money amount={step.heldAfter} places={places} />,
      },
    ],
    [t, places],
  );
  return (
    <Card title={t.trail}>
      {trail.length === 0 ? (
        <p className="quiet">{t.noTrail}</p>
      ) : (
        <>
          <TrailBar trail={trail} />
          <DataTable
            caption={t.trailCaption}
            columns={columns}
            rows={trail.map((step, at) => ({ at, step }))}
            rowKey={({ at }) => String(at)}
          />
          {isStillHeld ? <p className="quiet small">{t.trailNote}</p> : null}
        </>
      )}
    </Card>
  );
}
