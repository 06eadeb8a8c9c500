/** Models that an upstream lists and the catalogue does not have from it, to be marked. */
import { useMemo, useState } from "react";
import type { ReactNode } from "react";
import type { NewListedModel } from "../../../../src/contract/panel/upstream-list.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { TwoLines } from "../../ui/two-lines.tsx";
import type { Marks } from "./marks.ts";
import { useCatalogueTexts } from "./use-catalogue-texts.ts";
import { useListTexts } from "./use-list-texts.ts";

/** So many rows at once. */
const PAGE = 50;

interface ListedModelsProps {
  readonly models: readonly NewListedModel[];
  readonly marks: Marks;
  /** The text has a place for them. */
  readonly takes: boolean;
}

export function ListedModels({ models, marks, takes }: ListedModelsProps): ReactNode {
  const t = useListTexts();
  const words = useCatalogueTexts();
  const { decimal, count } = useFormats();
  const [most, setMost] = useState(PAGE);
  const columns = useMemo((): readonly Column<NewListedModel>[] => {
    const amount = (value: string | null) => (
      <span className="figure">{value === null ? "—" : decimal(value)}</span>
    );
    return [
      {
        id: "model",
        header: words.model,
        cell: ({ id, name, text }) => {
          const can = takes && text !== null;
          const line = <TwoLines detail={can ? (name ?? "") : t.noDraft}>{id}</TwoLines>;
          return can ? (
            <Checkbox
              label={
                <>
                  <span className="unseen">{t.takeModel(id)}</span>
                  <span aria-hidden="true">{line}</span>
                </>
              }
              checked={marks.has(id)}
              onChange={(on) => marks.set(id, on)}
            />
          ) : (
            line
          );
        },
      },
      {
        id: "context",
        header: t.context,
        align: "end",
        sortBy: ({ contextTokens }) => contextTokens ?? 0,
        cell: ({ contextTokens }) => (
          <span className="figure">{contextTokens === null ? "—" : count(contextTokens)}</span>
        ),
      },
      { id: "input", header: t.input, align: "end", cell: ({ input }) => amount(input) },
      { id: "output", header: t.output, align: "end", cell: ({ output }) => amount(output) },
    ];
  }, [t, words, decimal, count, marks, takes]);
  return (
    <section className="stack">
      <h3>{t.fresh}</h3>
      {models.length === 0 ? null : <p className="quiet small">{t.freshHint}</p>}
      <DataTable
        caption={t.fresh}
        columns={columns}
        rows={models.slice(0, most)}
        rowKey={({ id }) => id}
        empty={<p className="quiet">{t.freshNone}</p>}
        more={{
          hasNextPage: models.length > most,
          isFetchingNextPage: false,
          fetchNextPage: () => setMost(most + PAGE),
        }}
      />
    </section>
  );
}
