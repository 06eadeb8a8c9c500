/** What the list of keys tells of each. */
import { Link } from "@tanstack/react-router";
import type { PanelKey } from "../../../../src/contract/panel/panel-key.ts";
import type { Formats } from "../../i18n/locale.tsx";
import type { KeysTexts } from "../../i18n/texts/keys.ru.ts";
import type { Column } from "../../ui/data-table.tsx";
import { Meter } from "../../ui/meter.tsx";
import { Money } from "../../ui/money.tsx";
import { StatusBadge } from "../../ui/status-badge.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { TwoLines } from "../../ui/two-lines.tsx";
import type { KeyDialog } from "./key-dialogs.tsx";
import { KeyMenu } from "./key-menu.tsx";
import { OldKeyBadge } from "./old-key-badge.tsx";

/** @param reader the member who reads it. @param onAsk null: this member may only look. */
export function keyColumns(
  t: KeysTexts,
  formats: Formats,
  reader: string,
  onAsk: ((asked: KeyDialog, of: PanelKey) => void) | null,
): readonly Column<PanelKey>[] {
  return [
    {
      id: "key",
      header: t.key,
      leads: true,
      share: 26,
      cell: (key) => (
        <TwoLines title={key.name} detail={<code>{key.mask}</code>} also={placeOf(key, reader)}>
          <Link className="row-link" to="/keys/$hash" params={{ hash: key.hash }}>
            {key.name}
          </Link>
        </TwoLines>
      ),
    },
    {
      id: "state",
      header: t.state,
      cell: (key) => (
        <span className="keys-state">
          <StatusBadge status={key.state} />
          <OldKeyBadge of={key} />
          {key.expiresAt === null || key.rolledTo !== null ? null : (
            <span className="quiet small nowrap">{t.until(formats.date(key.expiresAt))}</span>
          )}
        </span>
      ),
    },
    {
      id: "limit",
      header: t.limit,
      cell: ({ limit }) => <LimitLeft limit={limit} t={t} formats={formats} />,
    },
    {
      id: "used",
      header: t.lastUsed,
      cell: ({ lastUsedAt }) =>
        lastUsedAt === null ? (
          <span className="quiet nowrap">{t.neverUsed}</span>
        ) : (
          <RelativeTime iso={lastUsedAt} />
        ),
    },
    {
      id: "today",
      header: t.today,
      align: "end",
      cell: ({ spentToday }) => <Money amount={spentToday} brief="up" />,
    },
    {
      id: "month",
      header: t.month,
      align: "end",
      comesTo: true,
      cell: ({ spentMonth }) => <Money amount={spentMonth} brief="up" />,
    },
    {
      id: "menu",
      header: "",
      align: "end",
      cell: (key) => <KeyMenu of={key} onAsk={onAsk} />,
    },
  ];
}

/** In which group it is, and whose, where that is not the reader. */
function placeOf({ group, owner }: PanelKey, reader: string): string {
  const whose = owner === null || owner.memberId === reader ? [] : [owner.name];
  return [...(group === null ? [] : [group.name]), ...whose].join(" · ");
}

export function LimitLeft({
  limit,
  t,
  formats,
}: Pick<PanelKey, "limit"> & { readonly t: KeysTexts; readonly formats: Formats }) {
  if (limit === null) return <span className="quiet">{t.noLimit}</span>;
  const { amount, remaining, period } = limit;
  return (
    <span className="keys-limit" title={formats.money(remaining)}>
      <span>{t.limitRemains(formats.moneyBrief(remaining, "down"))}</span>{" "}
      <span className="quiet small">
        {t.limitOf(formats.moneyWhole(amount), t.periods[period])}
      </span>
      <Meter remaining={remaining} of={amount} />
    </span>
  );
}
