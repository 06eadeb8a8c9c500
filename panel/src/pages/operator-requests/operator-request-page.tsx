/**
 * One request as operators see it: its money, every attempt at an upstream, and the ledger's
 * entries for it.
 */
import { useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { OperatorReceipt } from "../../../../src/contract/panel/operator-requests.ts";
import { useOperatorData } from "../../api/operator.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Card } from "../../ui/card.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Money } from "../../ui/money.tsx";
import { RequestState } from "../../ui/operator/request-state.tsx";
import { OperatorWords } from "../../ui/operator/operator-words.tsx";
import { useOperatorTexts } from "../../ui/operator/use-operator-texts.ts";
import { useWorkTexts } from "../../ui/operator/use-work-texts.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { Status } from "../../ui/status.tsx";
import { Time } from "../../ui/time.tsx";
import { RequestAbout, RequestMoney, RequestUsage } from "./request-facts.tsx";

const TONES = { delivered: "good", failed: "bad" } as Readonly<Record<string, "good" | "bad">>;

export function Component(): ReactNode {
  const t = useWorkTexts();
  const { id } = useParams({ from: "/inside/operate/operator/requests/$id" });
  const query = useOperatorData("/operator/requests/{id}", { params: { id } });
  return (
    <>
      <PageHead
        title={query.data?.model ?? t.request}
        back={{ to: "/operator/requests", label: t.requestsTitle }}
      />
      <Loaded query={query}>
        {(receipt) => (
          <>
            <p>
              <RequestState state={receipt.state} />
            </p>
            <div className="operator-columns">
              <RequestAbout receipt={receipt} />
              <div className="stack">
                <RequestMoney receipt={receipt} />
                <RequestUsage receipt={receipt} />
              </div>
            </div>
            <Attempts receipt={receipt} />
            <Entries receipt={receipt} />
          </>
        )}
      </Loaded>
    </>
  );
}

function Attempts({ receipt }: { readonly receipt: OperatorReceipt }): ReactNode {
  const t = useWorkTexts();
  const shared = useOperatorTexts();
  const { duration } = useFormats();
  const rows = useMemo(
    () => receipt.attempts.map((attempt, at) => ({ ...attempt, number: at + 1 })),
    [receipt.attempts],
  );
  const columns = useMemo(
    (): readonly Column<(typeof rows)[number]>[] => [
      { id: "number", header: t.number, cell: ({ number }) => number },
      { id: "upstream", header: shared.upstream, leads: true, cell: ({ upstream }) => upstream },
      { id: "model", header: t.upstreamModel, cell: ({ upstreamModel }) => upstreamModel ?? "—" },
      {
        id: "outcome",
        header: t.outcome,
        cell: ({ outcome }) => (
          <Status tone={TONES[outcome] ?? "neutral"}>{t.outcomes[outcome] ?? outcome}</Status>
        ),
      },
      {
        id: "status",
        header: t.httpStatus,
        cell: ({ status, outcome }) => status ?? (outcome === "skipped" ? "—" : t.noAnswer),
      },
      {
        id: "reason",
        header: t.whyFailed,
        cell: ({ reason, coded }) =>
          reason === null || reason === undefined ? (
            "—"
          ) : (
            <OperatorWords words={reason} coded={coded} />
          ),
      },
      {
        id: "took",
        header: t.took,
        align: "end",
        cell: ({ durationMs }) => (
          <span className="figure">{durationMs === undefined ? "—" : duration(durationMs)}</span>
        ),
      },
    ],
    [t, shared, duration],
  );
  return (
    <Card title={t.attempts}>
      <DataTable
        caption={t.attemptsCaption}
        columns={columns}
        rows={rows}
        rowKey={({ number }) => String(number)}
        empty={<p className="quiet">{t.noAttempts}</p>}
      />
    </Card>
  );
}

function Entries({ receipt }: { readonly receipt: OperatorReceipt }): ReactNode {
  const t = useWorkTexts();
  const columns = useMemo((): readonly Column<OperatorReceipt["entries"][number]>[] => {
    const amountOf = (amount: string | null): ReactNode =>
      amount === null ? "—" : <Money amount={amount} />;
    return [
      { id: "kind", header: t.entry, cell: ({ kind }) => t.entryKinds[kind] },
      { id: "at", header: t.bookedAt, cell: ({ at }) => <Time iso={at} /> },
      { id: "amount", header: t.amount, align: "end", cell: ({ amount }) => amountOf(amount) },
      { id: "held", header: t.held, align: "end", cell: ({ held }) => amountOf(held) },
      {
        id: "released",
        header: t.released,
        align: "end",
        cell: ({ released }) => amountOf(released),
      },
    ];
  }, [t]);
  return (
    <Card title={t.entries}>
      <DataTable
        caption={t.entriesCaption}
        columns={columns}
        rows={receipt.entries}
        rowKey={({ entryId }) => entryId}
        empty={<p className="quiet">{t.noEntries}</p>}
      />
    </Card>
  );
}
