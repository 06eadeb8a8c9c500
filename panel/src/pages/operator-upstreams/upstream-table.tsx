/** Every upstream: how it stands, whether we have its credentials, and how it answers. */
import { useMemo } from "react";
import type { ReactNode } from "react";
import type {
  UpstreamHealth,
  UpstreamsReport,
} from "../../../../src/contract/panel/operator-upstreams.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Badge } from "../../ui/badge.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { useBusinessTexts } from "../../ui/operator/use-business-texts.ts";
import { useOperatorTexts } from "../../ui/operator/use-operator-texts.ts";
import { BalanceCell } from "./balance-cell.tsx";
import { CallStrip } from "./call-strip.tsx";
import { figureColumns } from "./figure-columns.tsx";
import { TakeOut } from "./take-out.tsx";
import type { ErrorsOf } from "./upstream-errors.tsx";
import { UpstreamState } from "./upstream-state.tsx";
import { useUpstreamTexts } from "./use-upstream-texts.ts";

export function UpstreamTable({
  report,
  onErrors,
}: {
  readonly report: UpstreamsReport;
  onErrors(of: ErrorsOf): void;
}): ReactNode {
  const t = useBusinessTexts();
  const own = useUpstreamTexts();
  const shared = useOperatorTexts();
  const formats = useFormats();
  const columns = useMemo(
    (): readonly Column<UpstreamHealth>[] => [
      {
        id: "name",
        header: shared.upstream,
        cell: ({ name, protocol, baseUrl, credentials }) => (
          <span className="operator-upstreams-name">
            <b>{name}</b>
            <span className="quiet small" title={baseUrl}>
              {protocol}
            </span>
            {credentials
              .filter(({ set }) => !set)
              .map((credential) => (
                <span key={credential.name}>
                  <Badge tone="bad">{t.credentialMissing(credential.name)}</Badge>
                </span>
              ))}
          </span>
        ),
      },
      {
        id: "state",
        header: shared.state,
        cell: ({ worst, out, figures }) => (
          <UpstreamState worst={worst} out={out} figures={figures} />
        ),
      },
      {
        id: "strip",
        header: own.byTime,
        cell: (upstream) => (
          <CallStrip upstream={upstream} from={report.from} to={report.to} partMs={report.partMs} />
        ),
      },
      ...(report.upstreams.some(({ balance }) => balance !== null)
        ? [
            {
              id: "balance",
              header: own.balance,
              align: "end" as const,
              cell: ({ balance }: UpstreamHealth) => <BalanceCell balance={balance} />,
            },
          ]
        : []),
      ...figureColumns<UpstreamHealth>({ business: t, own }, formats, ({ name, figures }) =>
        onErrors({ upstream: name, upstreamModel: null, figures }),
      ),
      {
        id: "actions",
        header: "",
        align: "end",
        cell: ({ name, out }) => (
          <TakeOut route={{ upstream: name, upstreamModel: null }} out={out} report={report} />
        ),
      },
    ],
    [t, own, shared, formats, report, onErrors],
  );
  return (
    <DataTable
      caption={t.upstreamsTitle}
      columns={columns}
      rows={report.upstreams}
      rowKey={({ name }) => name}
    />
  );
}
