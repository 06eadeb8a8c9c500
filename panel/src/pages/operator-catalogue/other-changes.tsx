/** What else is written otherwise in the prices: by field, as it was and as it will be. */
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { CatalogueChanges } from "../../../../src/contract/panel/operator-catalogue.ts";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { useCatalogueTexts } from "./use-catalogue-texts.ts";

type Written = CatalogueChanges["pricesChanged"][number];

export function OtherChanges({ rows }: { readonly rows: readonly Written[] }): ReactNode {
  const t = useCatalogueTexts();
  const columns = useMemo(
    (): readonly Column<Written>[] => [
      { id: "model", header: t.model, cell: ({ model }) => model },
      { id: "field", header: t.field, cell: ({ field }) => <code>{field}</code> },
      {
        id: "before",
        header: t.before,
        align: "end",
        cell: ({ before }) => <del className="figure">{before}</del>,
      },
      {
        id: "after",
        header: t.after,
        align: "end",
        cell: ({ after }) => <ins className="figure">{after}</ins>,
      },
    ],
    [t],
  );
  return (
    <div>
      <h3>{t.otherChanges}</h3>
      <DataTable
        caption={t.otherChanges}
        columns={columns}
        rows={rows}
        rowKey={({ model, field }) => `${model} ${field}`}
      />
    </div>
  );
}
