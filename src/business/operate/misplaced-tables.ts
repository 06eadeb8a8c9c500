/** Where accounts are spread over servers: tables that do not lie where they should, as a verification says it. */
import { sayLedgerFinding } from "../../contract/sentences/say-finding.ts";
import type { Mismatch } from "../../ledger/verify.store.ts";
import type { Queryable } from "../../db/database.ts";
import { readCitusState, type CitusState } from "./citus.store.ts";
import { distributionState } from "./distribution-state.ts";
import { placeOf } from "./table-places.ts";
import { readTables, type TableShape } from "./tables.store.ts";

/** Nothing on a plain PostgreSQL. */
export async function findMisplacedTables(q: Queryable): Promise<Mismatch[]> {
  const citus = await readCitusState(q);
  return citus.version === null ? [] : misplacedTables(await readTables(q), citus);
}

export function misplacedTables(
  tables: readonly Pick<TableShape, "name">[],
  citus: Pick<CitusState, "tables" | "spread">,
): Mismatch[] {
  const { unfinished, misplaced } = distributionState(tables, citus);
  const amiss = new Set([...unfinished, ...misplaced.map(({ name }) => name)]);
  return tables
    .filter(({ name }) => amiss.has(name))
    .map(({ name }) => ({
      where: "tables.place",
      id: name,
      ...sayLedgerFinding("tables.place", { place: placeOf(name).kind }),
    }));
}
