/** How often an answer was tried for, and what came of each try. */
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { PanelReceipt } from "../../../../src/contract/panel/panel-request.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Card } from "../card.tsx";
import { DataTable } from "../data-table.tsx";
import type { Column } from "../data-table.tsx";
import { useReceiptTexts } from "./use-receipt-texts.ts";

type Attempt = PanelReceipt["attempts"][number];

export function Attempts({ attempts }: Pick<PanelReceipt, "attempts">): ReactNode {
  const t = useReceiptTexts();
  const { duration } = useFormats();
  const columns = useMemo(
    (): readonly Column<Attempt>[] => [
      { id: "number", header: t.attempt, cell: ({ number }) => number },
      { id: "outcome", header: t.outcome, cell: ({ outcome }) => t.outcomes[outcome] ?? outcome },
      { id: "status", header: t.status, align: "end", cell: ({ status }) => status ?? "—" },
      {
        id: "took",
        header: t.duration,
        align: "end",
        cell: ({ durationMs }) => (durationMs === null ? "—" : duration(durationMs)),
      },
    ],
    [t, duration],
  );
  return (
    <Card title={t.attempts}>
      <DataTable
        caption={t.attemptsCaption}
        columns={columns}
        rows={attempts}
        rowKey={({ number }) => String(number)}
      />
    </Card>
  );
}
