/** The prices of the edited text as a table, or why it has none to show. */
import type { ReactNode } from "react";
import { Loaded } from "../../ui/loaded.tsx";
import { Mistakes } from "./mistakes.tsx";
import { PriceTable } from "./price-table.tsx";
import type { PriceTableState } from "./use-price-table.ts";
import { useCatalogueTexts } from "./use-catalogue-texts.ts";

interface PricePartProps {
  readonly table: PriceTableState;
  /** To a line of the text. */
  onLine(line: number): void;
}

export function PricePart({ table: { query, ...table }, onLine }: PricePartProps): ReactNode {
  const t = useCatalogueTexts();
  return (
    <Loaded query={query}>
      {({ ok, mistakes }) =>
        ok ? (
          <PriceTable {...table} />
        ) : (
          <>
            <p role="status">{t.tableNeedsOrder}</p>
            <Mistakes mistakes={mistakes} warnings={[]} onGo={onLine} />
          </>
        )
      }
    </Loaded>
  );
}
