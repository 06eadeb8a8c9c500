/** The prices of a text of the catalogue, and that text with those that are typed over them. */
import { useQuery } from "@tanstack/react-query";
import type { UseQueryResult } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { CataloguePrices } from "../../../../src/contract/panel/operator-catalogue.ts";
import type { PriceCell } from "../../../../src/contract/price/price-cell.ts";
import { postApi } from "../../api/call-api.ts";
import { withPrices, type TypedPrices } from "./edit-prices.ts";
import { priceRows, type PriceRow } from "./price-row.ts";

export interface PriceTableState {
  readonly query: UseQueryResult<CataloguePrices>;
  readonly rows: readonly PriceRow[];
  onPrice(key: string, value: string): void;
}

interface Held {
  /** The text that the places of the prices are of. */
  readonly base: string;
  readonly typed: TypedPrices;
  /** The same with what was typed in it. */
  readonly written: string;
}

const NO_PRICES: readonly PriceCell[] = [];

function begin(source: string): Held {
  return { base: source, typed: new Map(), written: source };
}

/** `shown`: the table is in sight; the text of what is not is not looked into. */
export function usePriceTable(
  source: string,
  shown: boolean,
  onSource: (source: string) => void,
): PriceTableState {
  const [kept, setKept] = useState(() => begin(source));
  const held = kept.written === source ? kept : begin(source);
  // It was edited elsewhere: as YAML, or taken from another version.
  if (held !== kept) setKept(held);
  const { base, typed } = held;
  const query = useQuery({
    queryKey: ["/operator/catalogue/prices", base],
    queryFn: () => postApi("/operator/catalogue/prices", { body: { source: base } }),
    enabled: shown,
    staleTime: Infinity,
    gcTime: 0,
  });
  const prices = query.data?.prices ?? NO_PRICES;
  const rows = useMemo(() => priceRows(prices, typed), [prices, typed]);
  return {
    query,
    rows,
    onPrice(key, value) {
      const next = new Map(typed).set(key, value);
      const written = withPrices(base, prices, next);
      setKept({ base, typed: next, written });
      if (written !== source) onSource(written);
    },
  };
}
