/** What the list of groups tells of each. */
import type { PanelGroup } from "../../../../src/contract/panel/panel-group.ts";
import type { Formats } from "../../i18n/locale.tsx";
import type { GroupsTexts } from "../../i18n/texts/groups.ru.ts";
import type { Column } from "../../ui/data-table.tsx";
import { Meter } from "../../ui/meter.tsx";
import { Money } from "../../ui/money.tsx";
import { Status } from "../../ui/status.tsx";
import { TwoLines } from "../../ui/two-lines.tsx";
import type { GroupDialog } from "./group-dialog.ts";
import { GroupMenu } from "./group-menu.tsx";

/** @param onAsk null: this member may only look. */
export function groupColumns(
  t: GroupsTexts,
  formats: Formats,
  onAsk: ((asked: GroupDialog, of: PanelGroup) => void) | null,
): readonly Column<PanelGroup>[] {
  return [
    {
      id: "group",
      header: t.group,
      leads: true,
      share: 24,
      sortBy: ({ name }) => name,
      cell: (group) => (
        <TwoLines title={group.name} detail={detailOf(group, t)}>
          {group.name}
        </TwoLines>
      ),
    },
    {
      id: "state",
      header: t.state,
      cell: ({ state }) => (
        <Status tone={state === "active" ? "good" : "warn"}>
          {state === "active" ? t.on : t.off}
        </Status>
      ),
    },
    {
      id: "limit",
      header: t.limit,
      cell: ({ limit }) => <LimitLeft limit={limit} t={t} formats={formats} />,
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
      id: "total",
      header: t.total,
      align: "end",
      cell: ({ spentTotal }) => <Money amount={spentTotal} brief="up" />,
    },
    ...(onAsk === null
      ? []
      : [
          {
            id: "menu",
            header: "",
            align: "end" as const,
            cell: (group: PanelGroup) => <GroupMenu of={group} onAsk={onAsk} />,
          },
        ]),
  ];
}

function detailOf({ keys, models }: PanelGroup, t: GroupsTexts): string {
  return `${t.keys(keys)} · ${models === null ? t.allModels : t.someModels(models.length)}`;
}

function LimitLeft({
  limit,
  t,
  formats,
}: Pick<PanelGroup, "limit"> & { readonly t: GroupsTexts; readonly formats: Formats }) {
  if (limit === null) return <span className="quiet">{t.noLimit}</span>;
  const { amount, remaining, period } = limit;
  return (
    <span className="groups-limit" title={formats.money(remaining)}>
      <span>{t.limitRemains(formats.moneyBrief(remaining, "down"))}</span>{" "}
      <span className="quiet small">
        {t.limitOf(formats.moneyWhole(amount), t.periods[period])}
      </span>
      <Meter remaining={remaining} of={amount} />
    </span>
  );
}
