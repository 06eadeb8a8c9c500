/**
 * Turns the costs of rows into figures: CPU of the gateway and of PostgreSQL, what was allocated,
 * how many answers a transaction served, and one row's costs against another's.
 */
import { compareRounds, quotient } from "../figure.ts";
import type { Costed, Row, Stage } from "../stage.ts";

/** In how many units (requests, chunks) one answer is counted, and what they are called. */
export interface Unit {
  readonly name: string;
  readonly perAnswer: number;
}

/** Round by round; microseconds for one unit, and good answers a second. */
export interface Costs {
  readonly own: readonly number[];
  readonly database: readonly number[];
  readonly together: readonly number[];
  readonly rate: readonly number[];
}

const NAMES: Readonly<Record<keyof Costs, string>> = {
  own: "gateway CPU",
  database: "PostgreSQL CPU",
  together: "gateway + PostgreSQL CPU",
  rate: "requests",
};
const KILOBYTE = 1000;

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
    costs.set(row, { own, database, together, rate: rounds.map(({ load }) => load.perSecond) });
    const about = { measure, subject: row.title, unit: `µs/${unit.name}` };
    stage.figure({ ...about, name: NAMES.own, values: own });
    if (row.peer.books !== undefined) {
      stage.figure({ ...about, name: NAMES.database, values: database });
      stage.figure({ ...about, name: NAMES.together, values: together });
    }
    reportCounts(stage, measure, row, rounds);
  }
  return costs;
}

/** What tells a row apart whose CPU is the same: the size of its batches, and its garbage. */
function reportCounts(stage: Stage, measure: string, row: Row, rounds: readonly Costed[]): void {
  const about = { measure, subject: row.title };
  const transactions = rounds.flatMap(({ answers, transactions }) =>
    transactions === null ? [] : [answers / transactions],
  );
  if (transactions.length > 0)
    stage.figure({ ...about, name: "requests a transaction", unit: "", values: transactions });
  const allocated = rounds.flatMap(({ answers, allocated }) =>
    allocated === null ? [] : [allocated / answers / KILOBYTE],
  );
  if (allocated.length > 0)
    stage.figure({ ...about, name: "allocated", unit: "kB/request", values: allocated });
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
  const values = compareRounds(above[compared.what], below[compared.what], quotient);
  const name = NAMES[compared.what];
  stage.figure({ measure, subject: compared.subject, name, unit: "", values });
}
