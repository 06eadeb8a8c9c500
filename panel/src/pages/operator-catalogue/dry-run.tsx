/** What last week's chat requests would have been charged at the new prices. */
import { useMutation } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { CatalogueDryRun } from "../../../../src/contract/panel/operator-catalogue.ts";
import { postApi } from "../../api/call-api.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Money } from "../../ui/money.tsx";
import { useCatalogueTexts } from "./use-catalogue-texts.ts";

type Row = CatalogueDryRun["models"][number];

export function DryRun({ source }: { readonly source: string }): ReactNode {
  const t = useCatalogueTexts();
  const { count } = useFormats();
  const run = useMutation({ mutationFn: () => postApi<CatalogueDryRun>("/operator/catalogue/dry-run", { source }) });
  const columns = useMemo(
    (): readonly Column<Row>[] => [
      { id: "model", header: t.model, cell: ({ model }) => model },
      { id: "requests", header: t.requests, align: "end", cell: ({ requests }) => <span className="figure">{count(requests)}</span> },
      { id: "charged", header: t.charged, align: "end", cell: ({ charged }) => <Money amount={charged} /> },
      {
        id: "wouldBe",
        header: t.wouldBe,
        align: "end",
        cell: ({ wouldBe }) => (wouldBe === null ? <span className="quiet">{t.gone}</span> : <Money amount={wouldBe} />),
      },
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
      {run.data === undefined ? null : (
        <DataTable
          caption={t.dryRunCaption}
          columns={columns}
          rows={run.data.models}
          rowKey={({ model }) => model}
          empty={<p className="quiet">{t.dryRunEmpty}</p>}
        />
      )}
    </Card>
  );
}
