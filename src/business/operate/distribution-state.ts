/** How far a distribution has come: what is still to be spread, and what lies where it may not. */
import type { CitusState, CitusTable } from "./citus.store.ts";
import { ANCHOR } from "./distribution-steps.store.ts";
import { placeOf } from "./table-places.ts";
import type { TableShape } from "./tables.store.ts";

export interface DistributionState {
  /** Spread by their account, as they should be. */
  readonly spread: number;
  /** Begun and not done: the statements of the plan do it. */
  readonly unfinished: readonly string[];
  /** What no statement of the plan mends. */
  readonly misplaced: readonly CitusTable[];
}

export function distributionState(
  tables: readonly Pick<TableShape, "name">[],
  { tables: known, spread }: Pick<CitusState, "tables" | "spread">,
): DistributionState {
  const found = new Map(known.map((table) => [table.name, table]));
  const anchor = found.get(ANCHOR);
  const isDone = ({ kind, by, colocation }: CitusTable): boolean =>
    kind === "reference" ||
    (kind === "distributed" && by === "account_id" && colocation === anchor?.colocation);
  const done: string[] = [];
  const left: string[] = [];
  const misplaced: CitusTable[] = [];
  for (const { name } of tables) {
    const place = placeOf(name).kind;
    const table = found.get(name);
    if (table === undefined || table.kind === "local") {
      if (place !== "local") left.push(name);
    } else if (table.kind === place && isDone(table)) done.push(name);
    else misplaced.push(table);
  }
  const begun = done.length > 0 || spread;
  return {
    spread: done.filter((name) => placeOf(name).kind === "distributed").length,
    unfinished: begun ? [...left, ...(spread ? [] : ["ledger.spread()"])] : [],
    misplaced,
  };
}
