/** What would be different: prices first, then models, routes and upstreams. */
import { useMemo } from "react";
import type { ReactNode } from "react";
import type {
  CatalogueChanges,
  CatalogueCheck,
} from "../../../../src/contract/panel/operator-catalogue.ts";
import { Card } from "../../ui/card.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { useCatalogueTexts } from "./use-catalogue-texts.ts";

type PriceChange = CatalogueChanges["pricesChanged"][number];

const LISTS = [
  "modelsAdded",
  "modelsRemoved",
  "modelsChanged",
  "upstreamsAdded",
  "upstreamsRemoved",
  "upstreamsChanged",
] as const;
const ROUTES = ["routesAdded", "routesRemoved"] as const;

interface ChangesProps {
  readonly check: CatalogueCheck;
  readonly changes: CatalogueChanges;
}

export function ChangesView({ check: { inForce, unchanged }, changes }: ChangesProps): ReactNode {
  const t = useCatalogueTexts();
  const lists = LISTS.filter((name) => changes[name].length > 0);
  const routes = ROUTES.filter((name) => changes[name].length > 0);
  const nothing =
    lists.length === 0 &&
    routes.length === 0 &&
    changes.pricesChanged.length === 0 &&
    !changes.familiesChanged &&
    !changes.receiptsChanged;
  return (
    <Card title={t.changes(String(inForce))}>
      {nothing ? <p role="status">{unchanged ? t.unchanged : t.onlyWords}</p> : null}
      {changes.pricesChanged.length === 0 ? null : <Prices rows={changes.pricesChanged} />}
      {lists.map((name) => (
        <Named key={name} title={t[name]} names={changes[name]} />
      ))}
      {routes.map((name) => (
        <Named
          key={name}
          title={t[name]}
          names={changes[name].map(({ model, route }) => `${model} → ${route}`)}
        />
      ))}
      {changes.familiesChanged ? <h3>{t.familiesChanged}</h3> : null}
      {changes.receiptsChanged ? <h3>{t.receiptsChanged}</h3> : null}
    </Card>
  );
}

function Prices({ rows }: { readonly rows: readonly PriceChange[] }): ReactNode {
  const t = useCatalogueTexts();
  const columns = useMemo(
    (): readonly Column<PriceChange>[] => [
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
      <h3>{t.prices}</h3>
      <DataTable
        caption={t.pricesCaption}
        columns={columns}
        rows={rows}
        rowKey={({ model, field }) => `${model} ${field}`}
      />
    </div>
  );
}

function Named({
  title,
  names,
}: {
  readonly title: string;
  readonly names: readonly string[];
}): ReactNode {
  return (
    <div>
      <h3>{title}</h3>
      <ul className="operator-catalogue-names">
        {names.map((name) => (
          <li key={name}>
            <code>{name}</code>
          </li>
        ))}
      </ul>
    </div>
  );
}
