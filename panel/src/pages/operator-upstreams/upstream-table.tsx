/** Every upstream: whether it may be asked, whether we have its credentials, and how it answers. */
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { UpstreamHealth } from "../../../../src/contract/panel/operator-upstreams.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Badge } from "../../ui/badge.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { useBusinessTexts } from "../../ui/operator/use-business-texts.ts";
import { useOperatorTexts } from "../../ui/operator/use-operator-texts.ts";
import { BreakerBadge } from "./breaker-badge.tsx";
import { figureColumns } from "./figure-columns.tsx";

export function UpstreamTable({
  upstreams,
}: {
  readonly upstreams: readonly UpstreamHealth[];
}): ReactNode {
  const t = useBusinessTexts();
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
            <span className="quiet small">{`${protocol} · ${baseUrl}`}</span>
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
      { id: "breaker", header: t.breaker, cell: ({ worst }) => <BreakerBadge state={worst} /> },
      ...figureColumns<UpstreamHealth>(t, formats),
    ],
    [t, shared, formats],
  );
  return (
    <DataTable
      caption={t.upstreamsTitle}
      columns={columns}
      rows={upstreams}
      rowKey={({ name }) => name}
    />
  );
}
