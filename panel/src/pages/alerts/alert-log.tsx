/**
 * Everything that alerts sent: each mail and webhook with its tries, and why one did not arrive.
 */
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { AlertDelivery } from "../../../../src/contract/panel/alert.ts";
import { alertsQuery } from "../../api/alerts.ts";
import { usePages } from "../../api/use-pages.ts";
import { useFormats } from "../../i18n/locale.tsx";
import type { Formats } from "../../i18n/locale.tsx";
import type { AlertsTexts } from "../../i18n/texts/alerts.ru.ts";
import { Badge } from "../../ui/badge.tsx";
import { CursorList } from "../../ui/cursor-list.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterSelect } from "../../ui/filter-select.tsx";
import { RowTime } from "../../ui/time.tsx";
import { useFilters } from "../../ui/use-filters.ts";
import { WebAddress } from "../../ui/web-address.tsx";
import { DeliveryError } from "./delivery-error.tsx";
import { DeliveryState } from "./delivery-state.tsx";
import { useAlertWords } from "./use-alert-words.ts";
import { useAlertsTexts } from "./use-alerts-texts.ts";

const LOOK_AGAIN_MS = 4_000;

export function AlertLog(): ReactNode {
  const t = useAlertsTexts();
  const formats = useFormats();
  const { sentence } = useAlertWords();
  const alerts = useQuery(alertsQuery).data?.data ?? [];
  const filters = useFilters({ alertId: "" });
  const pages = usePages("/alerts/deliveries", { query: filters.values });
  const columns = useMemo(() => logColumns(t, formats), [t, formats]);
  const underWay = pages.rows?.some(({ state }) => state === "pending") === true;
  return (
    <div className="stack">
      <CursorList
        pages={pages}
        everyMs={underWay ? LOOK_AGAIN_MS : undefined}
        filters={filters}
        fields={
          <FilterSelect
            label={t.logRule}
            all={t.allRules}
            options={alerts.map((alert) => ({ value: alert.alertId, label: sentence(alert) }))}
            goneLabel={() => t.deletedRule}
            {...filters.of("alertId")}
          />
        }
        caption={t.logCaption}
        columns={columns}
        rowKey={({ deliveryId }) => deliveryId}
        nothingFound={<EmptyState title={t.logNothing} />}
        empty={<EmptyState title={t.logEmpty} text={t.logEmptyText} />}
      />
    </div>
  );
}

function logColumns(
  t: AlertsTexts,
  { moneyBrief, moneyWhole, inZone }: Formats,
): readonly Column<AlertDelivery>[] {
  return [
    {
      id: "at",
      header: inZone(t.firedAt),
      cell: ({ firedAt }) => <RowTime iso={firedAt} />,
    },
    {
      id: "kind",
      header: t.rule,
      cell: ({ kind, test }) => (
        <span className="row">
          {t.kinds[kind]} {test ? <Badge>{t.testMark}</Badge> : null}
        </span>
      ),
    },
    {
      id: "to",
      header: t.channel,
      cell: ({ channel, to }) => (
        <span className="alerts-to">
          <span className="quiet small">{t.channels[channel]}</span>
          <span className="alerts-address">
            <WebAddress text={to} />
          </span>
        </span>
      ),
    },
    {
      id: "measured",
      header: t.measured,
      cell: ({ value, threshold }) => t.measuredOf(moneyBrief(value, "up"), moneyWhole(threshold)),
    },
    { id: "state", header: t.delivery, cell: ({ state }) => <DeliveryState state={state} /> },
    {
      id: "attempts",
      header: t.attempts,
      align: "end",
      cell: ({ attempts }) => <span className="figure">{attempts}</span>,
    },
    {
      id: "error",
      header: t.error,
      cell: (delivery) =>
        delivery.state === "delivered" ? (
          <span className="quiet">—</span>
        ) : (
          <DeliveryError delivery={delivery} />
        ),
    },
  ];
}
