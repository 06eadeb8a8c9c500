/**
 * Prices as a table: each is edited in its row, beside what its route costs and what is left. What
 * is not in force, and what is below cost, is marked in words.
 */
import { useMemo, useState } from "react";
import type { KeyboardEvent, ReactNode } from "react";
import { useFormats } from "../../i18n/locale.tsx";
import type { OperatorCatalogueTexts } from "../../i18n/texts/operator-catalogue.ru.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { MoneyField } from "../../ui/money-field.tsx";
import { Switch } from "../../ui/switch.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { typedOf } from "../../ui/unread-text.ts";
import { ChangeSize } from "./change-size.tsx";
import { PartName, usePartWords } from "./part-name.tsx";
import { shownRows, type PriceRow } from "./price-row.ts";
import type { PriceTableState } from "./use-price-table.ts";
import { useCatalogueTexts } from "./use-catalogue-texts.ts";

/** So many rows at once: each has a field. */
const PAGE = 100;

export function PriceTable({ rows, onPrice }: Omit<PriceTableState, "query">): ReactNode {
  const t = useCatalogueTexts();
  const { decimal } = useFormats();
  const [text, setText] = useState("");
  const [onlyChanged, setOnlyChanged] = useState(false);
  const [most, setMost] = useState(PAGE);
  const shown = shownRows(rows, { text, onlyChanged });
  const columns = useMemo(
    (): readonly Column<PriceRow>[] => [
      { id: "model", header: t.model, cell: ({ cell }) => <PartName {...cell} /> },
      { id: "kind", header: t.field, cell: (row) => <Kind row={row} /> },
      {
        id: "price",
        header: t.price,
        align: "end",
        cell: (row) => <Price row={row} onPrice={onPrice} />,
      },
      {
        id: "cost",
        header: t.cost,
        align: "end",
        cell: ({ cell: { cost } }) => (
          <span className="figure">{cost === null ? t.unknownCost : decimal(cost)}</span>
        ),
      },
      {
        id: "percent",
        header: t.marginPercent,
        align: "end",
        cell: ({ percent, belowCost }) => (
          <span className={belowCost ? "figure operator-catalogue-loss" : "figure"}>
            {percent === null ? t.unknownCost : `${decimal(percent).replace(/^-/, "−")}\u00A0%`}
          </span>
        ),
      },
    ],
    [t, decimal, onPrice],
  );
  return (
    <div className="stack">
      <div className="filter-bar" role="search">
        <TextField
          label={t.findPrice}
          type="search"
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={setText}
        />
        <Switch label={t.onlyChanged} checked={onlyChanged} onChange={setOnlyChanged} />
      </div>
      <p className="quiet small">{t.pricesHint}</p>
      <DataTable
        caption={t.pricesTable}
        columns={columns}
        rows={shown.slice(0, most)}
        rowKey={({ key }) => key}
        empty={<p className="quiet">{onlyChanged ? t.noneChanged : t.noneFound}</p>}
        more={{
          hasNextPage: shown.length > most,
          isFetchingNextPage: false,
          fetchNextPage: () => setMost(most + PAGE),
        }}
      />
    </div>
  );
}

function Kind({ row: { cell, changed, belowCost } }: { readonly row: PriceRow }): ReactNode {
  const t = useCatalogueTexts();
  return (
    <span className="operator-catalogue-what">
      <code>{cell.kind}</code>
      {cell.unit === null || cell.unit === cell.kind ? null : (
        <small className="quiet">{t.perUnit(t.units[cell.unit] ?? cell.unit)}</small>
      )}
      {changed ? <Badge tone="live">{cell.before === null ? t.fresh : t.changed}</Badge> : null}
      {belowCost ? <Badge tone="bad">{t.belowCost}</Badge> : null}
    </span>
  );
}

interface PriceProps extends Pick<PriceTableState, "onPrice"> {
  readonly row: PriceRow;
}

function Price({ row, onPrice }: PriceProps): ReactNode {
  const { key, cell, value, unread, change } = row;
  const t = useCatalogueTexts();
  const { decimal } = useFormats();
  const words = usePartWords();
  if (!cell.editable)
    return (
      <div className="operator-catalogue-price">
        <span className="figure">{decimal(cell.amount)}</span>
        <small className="quiet">{t.sharedPrice}</small>
      </div>
    );
  const { before } = cell;
  const name = [cell.model, ...words(cell), cell.kind].join(", ");
  return (
    <div className="operator-catalogue-price">
      <MoneyField
        label={t.priceOf(name)}
        quietLabel
        autoComplete="off"
        value={value}
        error={mistakeOf(row, t)}
        onKeyDown={moveBetweenPrices}
        onChange={(next) => onPrice(key, next)}
      />
      {before === null || (change === null && !unread) ? null : (
        <span className="operator-catalogue-was small">
          <span className="quiet">{t.was(decimal(before))}</span>
          {change === null ? null : <ChangeSize {...change} />}
          <Button
            small
            look="ghost"
            icon="again"
            aria-label={t.restore(name, decimal(before))}
            title={t.restore(name, decimal(before))}
            onClick={({ currentTarget }) => {
              // This button goes, the field stays.
              currentTarget.closest("td")?.querySelector("input")?.focus();
              onPrice(key, before);
            }}
          />
        </span>
      )}
    </div>
  );
}

/** What its field does not say by itself: it tells what it cannot read. */
function mistakeOf({ value, unread }: PriceRow, t: OperatorCatalogueTexts): string | undefined {
  if (value === "") return t.priceNeeded;
  return unread && typedOf(value) === null ? t.priceTooHigh : undefined;
}

/** Enter and the arrows lead to the price below and above, as in a spreadsheet. */
function moveBetweenPrices(event: KeyboardEvent<HTMLInputElement>): void {
  const { key, shiftKey, currentTarget } = event;
  const down = key === "ArrowDown" || (key === "Enter" && !shiftKey);
  const up = key === "ArrowUp" || (key === "Enter" && shiftKey);
  const table = currentTarget.closest("table");
  if (table === null || !(down || up)) return;
  event.preventDefault();
  const fields = [...table.querySelectorAll<HTMLInputElement>("td input")];
  const next = fields[fields.indexOf(currentTarget) + (down ? 1 : -1)];
  next?.focus();
  next?.select();
}
