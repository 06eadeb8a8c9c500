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
  const columns = useMemo(
    (): readonly Column<KeyRow>[] => [
      {
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
      },
      {
        id: "spent",
        header: t.spent,
        align: "end",
        cell: ({ charged }) => <Money amount={charged} />,
      },
    ],
    [t],
  );
  return (
    <Card title={t.topKeys}>
      <DataTable
        caption={t.topKeys}
        columns={columns}
        rows={rows}
        rowKey={({ key }) => key?.hash ?? ""}
        empty={<p className="quiet">{t.noSpend}</p>}
      />
    </Card>
  );
}

export function TopModels({ rows }: { readonly rows: readonly ModelRow[] }): ReactNode {
  const t = useOverviewTexts();
  const columns = useMemo(
    (): readonly Column<ModelRow>[] => [
      {
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
      },
      {
        id: "spent",
        header: t.spent,
        align: "end",
        cell: ({ charged }) => <Money amount={charged} />,
      },
    ],
    [t],
  );
  return (
    <Card title={t.topModels}>
      <DataTable
        caption={t.topModels}
        columns={columns}
        rows={rows}
        rowKey={({ model }) => model}
        empty={<p className="quiet">{t.noSpend}</p>}
      />
    </Card>
  );
}
