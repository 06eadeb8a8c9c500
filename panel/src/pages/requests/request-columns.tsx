/** What the list of requests tells of each. */
import { Link } from "@tanstack/react-router";
import type { MouseEvent } from "react";
import type { PanelRequest } from "../../../../src/contract/panel/panel-request.ts";
import type { Formats } from "../../i18n/locale.tsx";
import type { RequestsTexts } from "../../i18n/texts/requests.ru.ts";
import { Badge } from "../../ui/badge.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Charge } from "../../ui/money.tsx";
import { StatusBadge } from "../../ui/status-badge.tsx";
import { RowTime } from "../../ui/time.tsx";
import { TwoLines } from "../../ui/two-lines.tsx";

interface ShownColumns {
  /** Opens a receipt beside the list. */
  onOpen(id: string): void;
  /** As many as there is room for: `narrow` beside a receipt, `wide` on a large screen. */
  readonly room: "narrow" | "usual" | "wide";
}

export function requestColumns(
  t: RequestsTexts,
  { count, duration, zone }: Formats,
  { onOpen, room }: ShownColumns,
): readonly Column<PanelRequest>[] {
  const columns: readonly Column<PanelRequest>[] = [
    {
      id: "when",
      header: t.whenIn(zone()),
      cell: ({ id, startedAt }) => (
        <Link
          className="row-link"
          to="/requests/$id"
          params={{ id }}
          onClick={(event) => {
            if (!isPlain(event)) return;
            event.preventDefault();
            onOpen(id);
          }}
        >
          <RowTime iso={startedAt} />
        </Link>
      ),
    },
    {
      id: "model",
      header: t.modelAndKey,
      leads: true,
      share: 34,
      cell: ({ model, kind, key }) => (
        <TwoLines title={model} detail={<RequestKey of={key} t={t} />}>
          {model} {kind === "task" ? <Badge>{t.kinds.task}</Badge> : null}
        </TwoLines>
      ),
    },
    { id: "state", header: t.state, cell: ({ state }) => <StatusBadge status={state} /> },
    {
      id: "protocol",
      header: t.protocol,
      cell: ({ protocol }) => <code className="quiet nowrap">{protocol}</code>,
    },
    {
      id: "tokens",
      header: t.tokens,
      align: "end",
      cell: ({ usage }) =>
        usage === null ? null : (
          <span className="figure">
            {t.tokensInOut(count(promptTokens(usage)), count(usage.outputTokens))}
          </span>
        ),
    },
    {
      id: "first",
      header: t.firstToken,
      align: "end",
      cell: ({ timeToFirstTokenMs }) =>
        timeToFirstTokenMs === null ? (
          "—"
        ) : (
          <span className="figure">{duration(timeToFirstTokenMs)}</span>
        ),
    },
    {
      id: "took",
      header: t.duration,
      align: "end",
      cell: ({ durationMs }) =>
        durationMs === null ? "—" : <span className="figure">{duration(durationMs)}</span>,
    },
    {
      id: "charged",
      header: t.chargedRoubles,
      align: "end",
      cell: ({ charged }) => <Charge amount={charged} />,
    },
  ];
  return columns.filter(({ id }) => !LEFT_OUT[room].has(id));
}

/** The receipt beside the list tells them. */
const LEFT_OUT: Readonly<Record<ShownColumns["room"], ReadonlySet<string>>> = {
  narrow: new Set(["protocol", "tokens", "first", "took"]),
  usual: new Set(["protocol", "first"]),
  wide: new Set(),
};

/** Any other click goes to the receipt's own page, in another tab or window. */
function isPlain({ button, ctrlKey, metaKey, shiftKey, altKey }: MouseEvent): boolean {
  return button === 0 && !ctrlKey && !metaKey && !shiftKey && !altKey;
}

function promptTokens(usage: NonNullable<PanelRequest["usage"]>): number {
  return (
    usage.inputTokens +
    usage.cachedInputTokens +
    usage.cacheWrite5mTokens +
    usage.cacheWrite1hTokens
  );
}

export function RequestKey({
  of,
  t,
}: {
  readonly of: PanelRequest["key"];
  readonly t: RequestsTexts;
}) {
  if (of === null) return <span className="quiet">{t.keyGone}</span>;
  return (
    <Link className="requests-text" to="/keys/$hash" params={{ hash: of.hash }}>
      {of.name}
    </Link>
  );
}
