/**
 * What was spent, by day: of everything, or of each of the dearest keys or models beside the rest.
 */
import { queryOptions } from "@tanstack/react-query";
import type { SpendGrouping } from "../../../src/contract/enums/spend-grouping.ts";
import type { Spend, SpendRow } from "../../../src/contract/panel/spend.ts";
import { readApi } from "./call-api.ts";
import type { QueryFor } from "./route-call.ts";

/** With the rest, as many as the charts have colours. */
const DEAREST = 5;
const EVERY_MS = 30_000;

export interface SpendFilter {
  /** Days of Moscow; empty: the last 30. */
  readonly from?: string;
  readonly to?: string;
  readonly keyHash?: string;
  readonly model?: string;
}

export interface SpendPart {
  readonly key: string;
  /** Null: of a key that has no name any more. */
  readonly name: string | null;
  readonly days: readonly SpendRow[];
}

export interface SplitSpend {
  readonly by: SpendSplit;
  readonly whole: Spend;
  /** The dearest; empty where the whole is not split. */
  readonly parts: readonly SpendPart[];
  /** Whether there is more than these. */
  readonly rest: boolean;
}

/** One part of the days beside the others. */
export type SpendSplit = "none" | Exclude<SpendGrouping, "day" | "group" | "member">;

export function spendQuery(filter: SpendFilter, by: SpendSplit) {
  return queryOptions({
    queryKey: ["spend", filter, by],
    refetchInterval: EVERY_MS,
    queryFn: async ({ signal }): Promise<SplitSpend> => {
      const read = (query: QueryFor<"GET /spend">): Promise<Spend> =>
        readApi("/spend", { query: { ...filter, ...query }, signal });
      if (by === "none") return { by, whole: await read({ by: "day" }), parts: [], rest: false };
      const { from, to, rows } = await read({ by });
      const named = rows.filter((row) =>
        by === "key" ? row.key !== null : (row.model ?? "") !== "",
      );
      const chosen = named.filter(({ charged }) => charged !== "0").slice(0, DEAREST);
      const parts = await Promise.all(
        chosen.map(async ({ key, model }): Promise<SpendPart> => {
          const one = key === null ? { model: model ?? "" } : { keyHash: key.hash };
          const spend = await read({ by: "day", from, to, ...one });
          return { key: key?.hash ?? model ?? "", name: key?.name ?? model, days: spend.rows };
        }),
      );
      // Read last: what is spent meanwhile belongs to the rest.
      return {
        by,
        whole: await read({ by: "day", from, to }),
        parts,
        rest: rows.some((row) => !chosen.includes(row) && row.charged !== "0"),
      };
    },
  });
}
