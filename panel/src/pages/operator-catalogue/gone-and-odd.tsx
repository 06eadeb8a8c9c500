/** Models of the catalogue that an upstream does not list any more, and prices that are none. */
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { UpstreamListed } from "../../../../src/contract/panel/upstream-list.ts";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { useCatalogueTexts } from "./use-catalogue-texts.ts";
import { useListTexts } from "./use-list-texts.ts";

type Gone = UpstreamListed["gone"][number];

export function GoneAndOdd({ listed }: { readonly listed: UpstreamListed }): ReactNode {
  const t = useListTexts();
  const words = useCatalogueTexts();
  const { gone, odd, partial } = listed;
  const columns = useMemo(
    (): readonly Column<Gone>[] => [
      { id: "model", header: words.model, cell: ({ model }) => model },
      { id: "route", header: t.route, cell: ({ upstreamModel }) => <code>{upstreamModel}</code> },
      { id: "line", header: words.source, align: "end", cell: ({ line }) => t.line(line) },
    ],
    [t, words],
  );
  return (
    <>
      {partial ? null : (
        <section className="stack">
          <h3>{t.gone}</h3>
          {gone.length === 0 ? null : <p className="quiet small">{t.goneHint}</p>}
          <DataTable
            caption={t.gone}
            columns={columns}
            rows={gone}
            rowKey={({ model, line }) => `${model} ${line}`}
            empty={<p className="quiet">{t.goneNone}</p>}
          />
        </section>
      )}
      {odd.length === 0 ? null : (
        <section className="stack">
          <h3>{t.odd}</h3>
          <p className="quiet small">{t.oddHint}</p>
          <ul className="operator-catalogue-names">
            {odd.map(({ id, fields }) => (
              <li key={id}>
                <code>{id}</code> <span className="quiet small">{fields.join(", ")}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
