/**
 * Plans how a database on a Citus coordinator becomes a distributed one: the statements, each of which
 * does nothing where its work is done, and what they do not solve. Runs none of them
 * (run-distribution.ts).
 */
import type { CitusState, CitusTable } from "./citus.store.ts";
import { distributionState } from "./distribution-state.ts";
import {
  ANCHOR,
  anchorStep,
  CHECK_STEP,
  colocatedStep,
  everywhereStep,
  type PlannedStep,
  referenceStep,
  SPREAD_STEPS,
  triggerSteps,
  WALL_STEPS,
} from "./distribution-steps.store.ts";
import { placeOf, tableFaults, type TableKind } from "./table-places.ts";
import type { TableShape, TableTrigger } from "./tables.store.ts";

export interface PlannedTable {
  readonly name: string;
  readonly kind: TableKind;
  readonly why: string;
}

export type DistributionPlan =
  | { readonly kind: "refused"; readonly reasons: readonly string[] }
  | {
      readonly kind: "planned";
      readonly tables: readonly PlannedTable[];
      readonly steps: readonly PlannedStep[];
      /** All of it is done already. */
      readonly complete: boolean;
      /** What has to be done about it first, or given up. */
      readonly unsolved: readonly string[];
    };

/** Refuses UPDATE, DELETE and TRUNCATE, as a revoked right does. */
const APPEND_ONLY = /\.refuse_change$/;
/** The first for PostgreSQL 15, which is the oldest that the gateway lives on. */
const OLDEST = [11, 1] as const;
/** Built by hand, once: docs/decisions/0042-growth.md. */
const TRIED = /^13\.2\b/;

export function planDistribution(
  tables: readonly TableShape[],
  citus: CitusState,
  shards: number,
): DistributionPlan {
  const spread = tables.filter(({ name }) => placeOf(name).kind === "distributed");
  const triggers = tables
    .filter(({ name }) => placeOf(name).kind !== "local")
    .flatMap((table) => table.triggers);
  const { spread: done, unfinished, misplaced } = distributionState(tables, citus);
  const reasons = [
    ...citusMistakes(citus),
    ...tables.flatMap(tableFaults),
    ...tables.flatMap(strayReferences),
    ...triggers.flatMap(keptTrigger),
    ...misplaced.map(misplacedTable),
    ...(spread.some(({ name }) => name === ANCHOR) ? [] : [`there is no ${ANCHOR}`]),
  ];
  if (reasons.length > 0) return { kind: "refused", reasons };
  const cleared = spread.flatMap(({ name, references }) =>
    references.filter(({ clears }) => clears).map((reference) => ({ name, reference })),
  );
  return {
    kind: "planned",
    tables: tables.map(({ name }) => ({ name, ...placeOf(name) })),
    steps: [
      CHECK_STEP,
      ...WALL_STEPS,
      ...triggers.flatMap(triggerSteps),
      ...cleared.map(({ name, reference }) => referenceStep(name, reference.name, reference.to)),
      ...tables.flatMap(({ name }) => {
        const { kind, why } = placeOf(name);
        return kind === "reference" ? [everywhereStep(name, why)] : [];
      }),
      ...referredFirst(spread).map(({ name }) =>
        name === ANCHOR ? anchorStep(shards) : colocatedStep(name),
      ),
      ...SPREAD_STEPS,
    ],
    complete: done > 0 && unfinished.length === 0 && triggers.length === 0 && cleared.length === 0,
    unsolved: [
      ...(TRIED.test(citus.version ?? "")
        ? []
        : [`Citus ${citus.version ?? ""} was never tried, only 13.2 with an earlier schema.`]),
      "Nothing of this has run on a real Citus with this schema yet, only against functions of the tests that pretend to be its: try a copy first, under load, and let `tollgate ledger verify` speak.",
      "No command leads back: there is undistribute_table for each table, and the backup from before.",
      "Migrations of later versions were never applied to spread tables: try each upgrade on a copy.",
      "`tollgate archive` seals a month by a trigger on it, which Citus refuses: no month can be archived afterwards.",
      "`tollgate ledger verify` reads each server at a moment of its own: beside live traffic it may name differences that are none. Ask it while no gateway works.",
      ...cleared.map(
        ({ name, reference }) =>
          `Rows of ${name} keep what led to a row of ${reference.to} that is deleted.`,
      ),
    ],
  };
}

function misplacedTable({ name, kind, by, colocation }: CitusTable): string {
  const as = kind === "other" ? "in a way of its own" : kind;
  const how = by === null ? "" : ` by ${by} in group ${colocation}`;
  return `${name} is ${as}${how}, and should be ${placeOf(name).kind}: bring it back first, by undistribute_table`;
}

function citusMistakes({ version, installed }: CitusState): string[] {
  if (version !== null) {
    const [major = 0, minor = 0] = version.split(/[.-]/).map(Number);
    return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
      ? []
      : [
          `Citus ${version} is too old: ${OLDEST.join(".")} or newer is needed, ALTER EXTENSION citus UPDATE after its installation`,
        ];
  }
  return [
    installed
      ? "the extension citus is not in this database: CREATE EXTENSION citus, as a superuser, and add its workers"
      : "the server has no extension citus: install it on a coordinator and its workers, preload it (shared_preload_libraries) and lead DATABASE_URL there",
  ];
}

/** Where each table may refer to: one that is spread to its own kind and to what is whole everywhere. */
const MAY_REFER: Readonly<Record<TableKind, readonly TableKind[]>> = {
  distributed: ["distributed", "reference"],
  reference: ["reference", "local"],
  local: ["reference", "local"],
};

function strayReferences({ name, references }: TableShape): string[] {
  const { kind } = placeOf(name);
  return references
    .filter(({ to }) => !MAY_REFER[kind].includes(placeOf(to).kind))
    .map(
      ({ name: reference, to }) =>
        `${reference} of ${name}, which is ${kind}, leads to ${to}, which is ${placeOf(to).kind}`,
    );
}

function keptTrigger({ name, on, calls }: TableTrigger): string[] {
  if (APPEND_ONLY.test(calls)) return [];
  return [
    `${name} on ${on} calls ${calls}, and nothing else does its work: where it keeps an archived month shut, let \`tollgate archive\` drop the month first`,
  ];
}

/** So that a reference never leads to a table that is not spread yet. */
function referredFirst(tables: readonly TableShape[]): TableShape[] {
  const placed = tables.filter(({ name }) => name === ANCHOR);
  const left = tables.filter(({ name }) => name !== ANCHOR);
  const waits = ({ name, references }: TableShape): boolean =>
    references.some(({ to }) => to !== name && left.some((other) => other.name === to));
  while (left.length > 0) {
    const at = left.findIndex((table) => !waits(table));
    // Tables that refer to each other in a circle come in the order of their names.
    placed.push(...left.splice(Math.max(0, at), 1));
  }
  return placed;
}
