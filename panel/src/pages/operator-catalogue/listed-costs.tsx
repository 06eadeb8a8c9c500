/** Costs that an upstream lists otherwise than the text has them, to be marked. */
import { useMemo } from "react";
import type { ReactNode } from "react";
import { BIG_CHANGE_PERCENT } from "../../../../src/contract/price/change-of.ts";
import type { ListedCost } from "../../../../src/contract/panel/upstream-list.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { TwoLines } from "../../ui/two-lines.tsx";
import { ChangeSize } from "./change-size.tsx";
import type { Marks } from "./marks.ts";
import { costKey } from "./take-rows.ts";
import { useCatalogueTexts } from "./use-catalogue-texts.ts";
import { useListTexts } from "./use-list-texts.ts";

interface ListedCostsProps {
  readonly costs: readonly ListedCost[];
  readonly marks: Marks;
}

export function ListedCosts({ costs, marks }: ListedCostsProps): ReactNode {
  const t = useListTexts();
  const words = useCatalogueTexts();
  const { decimal } = useFormats();
  const big = costs.filter((row) => row.big).length;
  const columns = useMemo(
    (): readonly Column<ListedCost>[] => [
      {
        id: "model",
        header: words.model,
        cell: (row) => {
          const name = `${row.model}, ${row.kind}`;
          const line = <TwoLines detail={row.upstreamModel}>{row.model}</TwoLines>;
          return row.editable ? (
            <Checkbox
              label={
                <>
                  <span className="unseen">{t.takeCost(name)}</span>
                  <span aria-hidden="true">{line}</span>
                </>
              }
              checked={marks.has(costKey(row))}
              onChange={(on) => marks.set(costKey(row), on)}
            />
          ) : (
            line
          );
        },
      },
      {
        id: "kind",
        header: words.field,
        cell: ({ kind, editable, line }) => (
          <span className="operator-catalogue-what">
            <code>{kind}</code>
            {editable ? null : (
              <small className="quiet">{`${t.notEditable}, ${t.line(line).toLowerCase()}`}</small>
            )}
          </span>
        ),
      },
      {
        id: "before",
        header: words.before,
        align: "end",
        cell: ({ before }) =>
          before === null ? (
            <span className="quiet">{t.notWritten}</span>
          ) : (
            <del className="figure">{decimal(before)}</del>
          ),
      },
      {
        id: "after",
        header: words.after,
        align: "end",
        cell: ({ after }) => <ins className="figure">{decimal(after)}</ins>,
      },
      {
        id: "change",
        header: words.change,
        align: "end",
        cell: ({ before, percent, big: isBig }) =>
          before === null ? "—" : <ChangeSize percent={percent} big={isBig} />,
      },
    ],
    [t, words, decimal, marks],
  );
  return (
    <section className="stack">
      <h3>{t.costs}</h3>
      <p className="quiet small">{t.costsHint}</p>
      {big === 0 ? null : (
        <p className="banner banner-warn" role="alert">
          {t.bigCosts(big, String(BIG_CHANGE_PERCENT))}
        </p>
      )}
      <DataTable
        caption={t.costs}
        columns={columns}
        rows={costs}
        rowKey={costKey}
        empty={<p className="quiet">{t.costsSame}</p>}
      />
    </section>
  );
}
