/** Every rule in words: who hears of it, whether it watches, and what may be done with it. */
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { Alert } from "../../../../src/contract/panel/alert.ts";
import { useMay } from "../../app/session.ts";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Status } from "../../ui/status.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { WebAddress } from "../../ui/web-address.tsx";
import { AlertActions } from "./alert-actions.tsx";
import { AlertSwitch } from "./alert-switch.tsx";
import { useAlertWords } from "./use-alert-words.ts";
import { useAlertsTexts } from "./use-alerts-texts.ts";

export function AlertRules({ alerts }: { readonly alerts: readonly Alert[] }): ReactNode {
  const t = useAlertsTexts();
  const mayChange = useMay("manager");
  const columns = useMemo((): readonly Column<Alert>[] => {
    const always: readonly Column<Alert>[] = [
      { id: "rule", header: t.rule, leads: true, cell: (alert) => <Rule alert={alert} /> },
      { id: "to", header: t.to, cell: (alert) => <Recipients alert={alert} /> },
      { id: "state", header: t.state, cell: (alert) => <State alert={alert} /> },
      { id: "on", header: t.on, cell: (alert) => <Switched alert={alert} /> },
    ];
    return mayChange
      ? [
          ...always,
          { id: "actions", header: "", align: "end", cell: (alert) => <Actions alert={alert} /> },
        ]
      : always;
  }, [t, mayChange]);
  return (
    <DataTable
      caption={t.caption}
      columns={columns}
      rows={alerts}
      rowKey={({ alertId }) => alertId}
      empty={<EmptyState title={t.emptyTitle} text={mayChange ? t.emptyText : t.emptyViewer} />}
    />
  );
}

interface CellProps {
  readonly alert: Alert;
}

function Rule({ alert }: CellProps): ReactNode {
  return <span className="alerts-rule">{useAlertWords().sentence(alert)}</span>;
}

function Recipients({ alert }: CellProps): ReactNode {
  const t = useAlertsTexts();
  const recipients = useAlertWords().recipients(alert);
  if (recipients.length === 0) return <span className="quiet">{t.nobody}</span>;
  return (
    <ul className="alerts-recipients">
      {recipients.map((one, at) => (
        <li key={at}>
          <WebAddress text={one} />
        </li>
      ))}
    </ul>
  );
}

function State({ alert: { enabled, past, fired, lastFiredAt } }: CellProps): ReactNode {
  const t = useAlertsTexts();
  return (
    <span className="alerts-state">
      {enabled ? (
        past ? (
          // Where it was so from the beginning, nothing was sent.
          <Status tone="warn">{fired ? t.fired : t.past}</Status>
        ) : (
          <Status tone="good">{t.watching}</Status>
        )
      ) : (
        <Status tone="neutral">{t.off}</Status>
      )}
      {lastFiredAt === null ? null : (
        <span className="quiet small">
          {t.lastFired} <RelativeTime iso={lastFiredAt} />
        </span>
      )}
    </span>
  );
}

function Switched({ alert }: CellProps): ReactNode {
  return <AlertSwitch alert={alert} sentence={useAlertWords().sentence(alert)} />;
}

function Actions({ alert }: CellProps): ReactNode {
  return <AlertActions alert={alert} sentence={useAlertWords().sentence(alert)} />;
}
