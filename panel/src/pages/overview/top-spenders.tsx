/** The keys and the models that most was spent with. */
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { Overview } from "../../../../src/contract/panel/overview.ts";
import { Card } from "../../ui/card.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Money } from "../../ui/money.tsx";
import { useOverviewTexts } from "./use-overview-texts.ts";

type KeyRow = Overview["topKeys"][number];
type ModelRow = Overview["topModels"][number];

export function TopKeys({ rows }: { readonly rows: readonly KeyRow[] }): ReactNode {
  const t = useOverviewTexts();
  const name = useMemo(
    (): Column<KeyRow> => ({
      id: "key",
      header: t.key,
      cell: ({ key }) =>
        key === null ? (
          <span className="quiet">{t.keyGone}</span>
        ) : (
          <Link className="overview-name" to="/keys/$hash" params={{ hash: key.hash }}>
            {key.name}
          </Link>
        ),
    }),
    [t],
  );
  return (
    <TopSpenders title={t.topKeys} name={name} rows={rows} rowKey={({ key }) => key?.hash ?? ""} />
  );
}

export function TopModels({ rows }: { readonly rows: readonly ModelRow[] }): ReactNode {
  const t = useOverviewTexts();
  const name = useMemo(
    (): Column<ModelRow> => ({
      id: "model",
      header: t.model,
      cell: ({ model }) =>
        model === "" ? (
          <span className="quiet">{t.modelGone}</span>
        ) : (
          <Link className="overview-name" to="/models/$" params={{ _splat: model }}>
            {model}
          </Link>
        ),
    }),
    [t],
  );
  return <TopSpenders title={t.topModels} name={name} rows={rows} rowKey={({ model }) => model} />;
}

interface TopSpendersProps<Row> {
  readonly title: string;
  /** The column before what each spent. */
  readonly name: Column<Row>;
  readonly rows: readonly Row[];
  rowKey(row: Row): string;
}

function TopSpenders<Row extends KeyRow | ModelRow>({
  title,
  name,
  rows,
  rowKey,
}: TopSpendersProps<Row>): ReactNode {
  const t = useOverviewTexts();
  const columns = useMemo(
    (): readonly Column<Row>[] => [
      name,
      {
        id: "spent",
        header: t.spent,
        align: "end",
        cell: ({ charged }) => <Money amount={charged} brief="up" />,
      },
    ],
    [name, t],
  );
  return (
    <Card title={title}>
      <DataTable
        caption={title}
        columns={columns}
        rows={rows}
        rowKey={rowKey}
        empty={<p className="quiet">{t.noSpend}</p>}
      />
    </Card>
  );
}
