/**
 * What last week's chat requests would have earned and cost under the new catalogue, model by model
 * and in all.
 */
import { useMutation } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { CatalogueDryRun } from "../../../../src/contract/panel/operator-catalogue.ts";
import { postApi } from "../../api/call-api.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { useWords } from "../../i18n/use-words.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Money } from "../../ui/money.tsx";
import { useCatalogueTexts } from "./use-catalogue-texts.ts";

type Row = CatalogueDryRun["models"][number];

const SUMS = ["charged", "wouldBe", "cost", "margin"] as const;

export function DryRun({ source }: { readonly source: string }): ReactNode {
  const t = useCatalogueTexts();
  const { count, moneyBrief } = useFormats();
  const run = useMutation({
    mutationFn: () => postApi("/operator/catalogue/dry-run", { body: { source } }),
  });
  const columns = useMemo(
    (): readonly Column<Row>[] => [
      { id: "model", header: t.model, cell: ({ model }) => model },
      {
        id: "requests",
        header: t.requests,
        align: "end",
        cell: ({ requests }) => <span className="figure">{count(requests)}</span>,
      },
      ...SUMS.map((name): Column<Row> => ({
        id: name,
        header: t[name],
        align: "end",
        cell: (row) => <Sum amount={row[name]} gone={row.wouldBe === null} />,
      })),
    ],
    [t, count],
  );
  return (
    <Card
      title={t.dryRunTitle}
      actions={
        <Button small busy={run.isPending} onClick={() => run.mutate()}>
          {t.dryRun}
        </Button>
      }
    >
      <p className="quiet small">{t.dryRunText}</p>
      {run.error === null ? null : <ErrorState error={run.error} />}
      {run.data?.sampled === true ? <p className="quiet small">{t.dryRunSampled}</p> : null}
      {run.data === undefined || Number(run.data.total.unknownCostRevenue) === 0 ? null : (
        <p className="quiet small">
          {t.knownPart(moneyBrief(run.data.total.unknownCostRevenue, "down"))}
        </p>
      )}
      {run.data === undefined ? null : (
        <DataTable
          caption={t.dryRunCaption}
          columns={columns}
          rows={run.data.models}
          rowKey={({ model }) => model}
          foot={run.data.models.length === 0 ? undefined : <Total total={run.data.total} />}
          empty={<p className="quiet">{t.dryRunEmpty}</p>}
        />
      )}
    </Card>
  );
}

function Total({ total }: { readonly total: CatalogueDryRun["total"] }): ReactNode {
  const t = useCatalogueTexts();
  const words = useWords();
  const { count } = useFormats();
  return (
    <tr>
      <th scope="row">{words.total}</th>
      <td className="end" data-label={t.requests}>
        <span className="figure">{count(total.requests)}</span>
      </td>
      {SUMS.map((name) => (
        <td key={name} className="end" data-label={t[name]}>
          <Sum amount={total[name]} gone={false} />
        </td>
      ))}
    </tr>
  );
}

function Sum({
  amount,
  gone,
}: {
  readonly amount: string | null;
  readonly gone: boolean;
}): ReactNode {
  const t = useCatalogueTexts();
  if (amount === null) return <span className="quiet">{gone ? t.gone : t.unknownCost}</span>;
  if (!amount.startsWith("-")) return <Money amount={amount} brief="up" />;
  return (
    <span className="operator-catalogue-loss">
      <Money amount={amount} brief="down" />
    </span>
  );
}
