/**
 * Turns the costs of rows into figures: CPU of the gateway and of PostgreSQL, and one row's costs
 * against another's.
 */
import { compareRounds, quotient } from "../figure.ts";
import type { Costed, Row, Stage } from "../stage.ts";

/** In how many units (requests, chunks) one answer is counted, and what they are called. */
export interface Unit {
  readonly name: string;
  readonly perAnswer: number;
}

/** Microseconds for one unit, round by round. */
export interface Costs {
  readonly own: readonly number[];
  readonly database: readonly number[];
  readonly together: readonly number[];
}

const GATEWAY = "gateway CPU";
const DATABASE = "PostgreSQL CPU";
const TOGETHER = "gateway + PostgreSQL CPU";

export function reportCosts<R extends Row>(
  stage: Stage,
  measure: string,
  results: ReadonlyMap<R, readonly Costed[]>,
  unit: Unit,
): Map<R, Costs> {
  const costs = new Map<R, Costs>();
  for (const [row, rounds] of results) {
    if (row.peer.pid === null) continue;
    const own = rounds.map(({ ownUs }) => ownUs / unit.perAnswer);
    const database = rounds.map(({ databaseUs }) => databaseUs / unit.perAnswer);
    const together = own.map((value, round) => value + (database[round] ?? Number.NaN));
    costs.set(row, { own, database, together });
    const about = { measure, subject: row.title, unit: `µs/${unit.name}` };
    stage.figure({ ...about, name: GATEWAY, values: own });
    if (row.peer.keys === null) continue;
    stage.figure({ ...about, name: DATABASE, values: database });
    stage.figure({ ...about, name: TOGETHER, values: together });
  }
  return costs;
}

/** The ratio of one cost of two rows, when both were measured. */
export function reportRatio<R>(
  stage: Stage,
  measure: string,
  costs: ReadonlyMap<R, Costs>,
  compared: {
    readonly subject: string;
    readonly row: R | undefined;
    readonly to: R | undefined;
    readonly what: keyof Costs;
  },
): void {
  const above = compared.row && costs.get(compared.row);
  const below = compared.to && costs.get(compared.to);
  if (above === undefined || below === undefined) return;
  const name = compared.what === "own" ? GATEWAY : TOGETHER;
  const values = compareRounds(above[compared.what], below[compared.what], quotient);
  stage.figure({ measure, subject: compared.subject, name, unit: "", values });
}
