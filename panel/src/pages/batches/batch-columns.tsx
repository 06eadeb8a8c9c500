/** What the list of batches tells of each. */
import type { PanelBatch } from "../../../../src/contract/panel/panel-batch.ts";
import type { Formats } from "../../i18n/locale.tsx";
import type { BatchesTexts } from "../../i18n/texts/batches.ru.ts";
import { Button } from "../../ui/button.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Money } from "../../ui/money.tsx";
import { StatusBadge } from "../../ui/status-badge.tsx";
import { Time } from "../../ui/time.tsx";

/** @param onStop null: this member may stop none, or there is none that could be. */
export function batchColumns(
  t: BatchesTexts,
  { count }: Formats,
  onStop: ((batch: PanelBatch) => void) | null,
): readonly Column<PanelBatch>[] {
  return [
    {
      id: "batch",
      header: t.batch,
      leads: true,
      cell: ({ id, url, mistake }) => (
        <>
          <code className="breaks">{id}</code>
          <div className="quiet small">{url}</div>
          {mistake === null ? null : <div className="quiet small breaks">{mistake}</div>}
        </>
      ),
    },
    { id: "state", header: t.state, cell: ({ state }) => <StatusBadge status={state} /> },
    {
      id: "lines",
      header: t.lines,
      cell: ({ total, succeeded, errored, unrun }) => (
        <>
          <span className="figure">{t.answered(count(succeeded), count(total))}</span>
          {errored === 0 ? null : (
            <div className="quiet small">{t.errored(errored, count(errored))}</div>
          )}
          {unrun === 0 ? null : <div className="quiet small">{t.unrun(count(unrun))}</div>}
        </>
      ),
    },
    { id: "held", header: t.held, align: "end", cell: ({ held }) => <Sum amount={held} t={t} /> },
    {
      id: "charged",
      header: t.charged,
      align: "end",
      cell: ({ charged }) => <Sum amount={charged} t={t} />,
    },
    { id: "created", header: t.created, cell: ({ createdAt }) => <Time iso={createdAt} /> },
    ...(onStop === null ? [] : [stopColumn(t, onStop)]),
  ];
}

function stopColumn(t: BatchesTexts, onStop: (batch: PanelBatch) => void): Column<PanelBatch> {
  return {
    id: "actions",
    header: t.actions,
    align: "end",
    cell: (batch) =>
      mayStop(batch) ? (
        <Button
          look="ghost"
          small
          icon="stop"
          aria-label={t.stopOf(batch.id)}
          onClick={() => onStop(batch)}
        >
          {t.stop}
        </Button>
      ) : null,
  };
}

export function mayStop({ state }: PanelBatch): boolean {
  return state === "validating" || state === "in_progress";
}

function Sum({ amount, t }: { readonly amount: string | null; readonly t: BatchesTexts }) {
  return amount === null ? (
    <span className="quiet">{t.unknown}</span>
  ) : (
    <Money amount={amount} brief="up" />
  );
}
