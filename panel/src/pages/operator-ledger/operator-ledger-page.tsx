/** Whether the books add up, and a verification on demand. */
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { LedgerStatus, Verification } from "../../../../src/contract/panel/operator-ledger.ts";
import { useAction, useOperatorData } from "../../api/operator.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Money } from "../../ui/money.tsx";
import { Named } from "../../ui/operator/named.tsx";
import { FindingWords } from "../../ui/operator/operator-words.tsx";
import { useBusinessTexts } from "../../ui/operator/use-business-texts.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { Facts, Stat } from "../../ui/stat.tsx";
import { Status } from "../../ui/status.tsx";
import { Time } from "../../ui/time.tsx";
import { useToasts } from "../../ui/toast.tsx";

const EVERY_MS = 30_000;
const PENDING_EVERY_MS = 2_000;

type Mismatch = Verification["mismatches"][number];

export function Component(): ReactNode {
  const t = useBusinessTexts();
  const toasts = useToasts();
  const query = useOperatorData("/operator/ledger", {
    everyMs: (status) => ((status?.pending ?? null) === null ? EVERY_MS : PENDING_EVERY_MS),
  });
  const verify = useAction("/operator/ledger/verify", {}, () => toasts.done(t.verifyAsked));
  const pending = query.data?.pending ?? null;
  return (
    <>
      <PageHead
        title={t.ledgerTitle}
        lead={t.ledgerLead}
        actions={
          <Button
            look="primary"
            icon="scales"
            busy={verify.busy}
            disabled={pending !== null}
            onClick={() => verify.send({})}
          >
            {t.verifyNow}
          </Button>
        }
      />
      {verify.error === null ? null : <ErrorState error={verify.error} />}
      <Loaded query={query}>
        {(status) => (
          <>
            {status.pending === null ? null : (
              <p className="banner" role="status">
                <span className="spinner" aria-hidden="true" />{" "}
                {status.pending.state === "running" ? t.verifying : t.waiting}
              </p>
            )}
            <Last status={status} />
            <Customers status={status} />
          </>
        )}
      </Loaded>
    </>
  );
}

function Last({ status: { last, everyMinutes } }: { readonly status: LedgerStatus }): ReactNode {
  const t = useBusinessTexts();
  const { count, duration } = useFormats();
  if (last === null) {
    return (
      <Card title={t.lastVerification}>
        <EmptyState title={t.neverVerified} text={t.neverVerifiedText} />
      </Card>
    );
  }
  const { checked } = last;
  return (
    <Card title={t.lastVerification} actions={<Verdict verification={last} />}>
      <Facts
        items={[
          [t.finishedAt, <Time key="f" iso={last.finishedAt} />],
          [t.tookTime, last.durationMs === null ? null : duration(last.durationMs)],
          [t.askedBy, last.askedBy ?? t.byItself],
          [
            t.checked,
            checked === null
              ? null
              : t.checkedAll(
                  count(checked.accounts),
                  count(checked.entries),
                  count(checked.holds),
                  count(checked.budgets),
                ),
          ],
        ]}
      />
      {last.mismatches.length === 0 ? null : <Mismatches rows={last.mismatches} />}
      <p className="quiet small">{t.everyMinutes(count(everyMinutes))}</p>
    </Card>
  );
}

function Verdict({
  verification: { state, mismatchCount },
}: {
  readonly verification: Verification;
}): ReactNode {
  const t = useBusinessTexts();
  const { count } = useFormats();
  if (state === "broken_off" || mismatchCount === null)
    return <Status tone="warn">{t.brokenOff}</Status>;
  return (
    <Status tone={mismatchCount === 0 ? "good" : "bad"}>
      {mismatchCount === 0 ? t.addsUp : t.mismatches(count(mismatchCount))}
    </Status>
  );
}

function findingOf({ where, expected, found, params }: Mismatch) {
  return { code: where, expected, found, params };
}

function Mismatches({ rows }: { readonly rows: readonly Mismatch[] }): ReactNode {
  const t = useBusinessTexts();
  const columns = useMemo(
    (): readonly Column<Mismatch>[] => [
      {
        id: "where",
        header: t.where,
        cell: ({ where }) => <Named names={t.places} word={where} />,
      },
      { id: "id", header: t.id, cell: ({ id }) => <code>{id}</code> },
      {
        id: "expected",
        header: t.expected,
        align: "end",
        cell: (row) => <FindingWords books="ledger" side="expected" finding={findingOf(row)} />,
      },
      {
        id: "found",
        header: t.found,
        align: "end",
        cell: (row) => <FindingWords books="ledger" side="found" finding={findingOf(row)} />,
      },
    ],
    [t],
  );
  return (
    <DataTable
      caption={t.mismatchCaption}
      columns={columns}
      rows={rows}
      rowKey={({ where, id }) => `${where} ${id}`}
    />
  );
}

function Customers({
  status: { customers, parkedReceipts },
}: {
  readonly status: LedgerStatus;
}): ReactNode {
  const t = useBusinessTexts();
  const { count } = useFormats();
  return (
    <Card title={t.customers}>
      <dl className="stats">
        <Stat label={t.balance} value={<Money amount={customers.balance} brief="down" />} />
        <Stat label={t.held} value={<Money amount={customers.held} brief="up" />} />
        <Stat
          label={t.parked}
          value={count(parkedReceipts)}
          note={parkedReceipts === 0 ? undefined : t.parkedNote}
        />
      </dl>
    </Card>
  );
}
