/** An account's members, keys and last requests. */
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { OperatorAccountDetail } from "../../../../src/contract/panel/operator-accounts.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Money } from "../../ui/money.tsx";
import { requestColumns } from "../../ui/operator/request-columns.tsx";
import { useOperatorTexts } from "../../ui/operator/use-operator-texts.ts";
import { StatusBadge } from "../../ui/status-badge.tsx";
import { RelativeTime, Time } from "../../ui/time.tsx";
import { useAccountTexts } from "./use-account-texts.ts";

interface OfAccount {
  readonly account: OperatorAccountDetail;
}
type Key = OperatorAccountDetail["keys"][number];
type Member = OperatorAccountDetail["members"][number];

export function AccountMembers({ account }: OfAccount): ReactNode {
  const t = useAccountTexts();
  const columns = useMemo(
    (): readonly Column<Member>[] => [
      {
        id: "email",
        header: t.email,
        cell: ({ email, operator }) => (
          <span className="row">
            <span className="breaks">{email}</span>{" "}
            {operator ? <Badge tone="warn">{t.operatorBadge}</Badge> : null}
          </span>
        ),
      },
      { id: "role", header: t.role, cell: ({ role }) => t.roles[role] },
      {
        id: "joined",
        header: t.joined,
        cell: ({ createdAt }) => <Time iso={createdAt} dateOnly />,
      },
    ],
    [t],
  );
  return (
    <Card title={t.members}>
      <DataTable
        caption={t.membersCaption}
        columns={columns}
        rows={account.members}
        rowKey={({ memberId }) => memberId}
        empty={<p className="quiet">{t.noMembers}</p>}
      />
    </Card>
  );
}

export function AccountKeys({ account }: OfAccount): ReactNode {
  const t = useAccountTexts();
  const { moneyWhole } = useFormats();
  const columns = useMemo(
    (): readonly Column<Key>[] => [
      {
        id: "name",
        header: t.keyName,
        cell: ({ hash, name, frozenAt }) => (
          <span className="row">
            <Link to="/operator/requests" search={{ account: account.accountId, key: hash }}>
              {name}
            </Link>
            {frozenAt === null ? null : <StatusBadge status="frozen" />}
          </span>
        ),
      },
      { id: "mask", header: t.mask, cell: ({ mask }) => <code>{mask}</code> },
      {
        id: "spent",
        header: t.keySpent,
        align: "end",
        cell: ({ spent }) => <Money amount={spent} brief="up" />,
      },
      {
        id: "limit",
        header: t.keyLimit,
        align: "end",
        cell: ({ limit }) =>
          limit === null ? (
            <span className="quiet">{t.noLimit}</span>
          ) : (
            <span>
              <span className="figure">{moneyWhole(limit.amount)}</span> {t.periods[limit.period]}
            </span>
          ),
      },
      {
        id: "used",
        header: t.lastUsed,
        cell: ({ lastUsedAt }) => <RelativeTime iso={lastUsedAt} />,
      },
      {
        id: "expires",
        header: t.expires,
        cell: ({ expiresAt }) =>
          expiresAt === null ? <span className="quiet">{t.never}</span> : <Time iso={expiresAt} />,
      },
    ],
    [t, moneyWhole, account.accountId],
  );
  return (
    <Card title={t.keys}>
      <DataTable
        caption={t.keysCaption}
        columns={columns}
        rows={account.keys}
        rowKey={({ hash }) => hash}
        empty={<p className="quiet">{t.noKeys}</p>}
      />
    </Card>
  );
}

export function AccountRequests({ account }: OfAccount): ReactNode {
  const t = useAccountTexts();
  const shared = useOperatorTexts();
  const formats = useFormats();
  const columns = useMemo(() => requestColumns(shared, formats, false), [shared, formats]);
  return (
    <Card title={t.requests}>
      <DataTable
        caption={t.requests}
        columns={columns}
        rows={account.requests}
        rowKey={({ id }) => id}
        empty={<EmptyState title={shared.noRequests} text={shared.noRequestsText} />}
      />
    </Card>
  );
}
