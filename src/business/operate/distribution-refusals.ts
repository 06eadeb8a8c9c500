/** Why a distribution may not be run now: what the plan does not look at, of server, role and processes. */
import type { Db, Queryable } from "../../db/database.ts";
import { lookAtMigrations } from "../../db/compare-migrations.ts";
import { versionsRunning } from "../../db/running-version.ts";
import type { CitusState } from "./citus.store.ts";
import { readCoordinator, readRights } from "./distribution-run.store.ts";
import type { TableShape } from "./tables.store.ts";
import { placeOf } from "./table-places.ts";
import { verifyLedger } from "./verify-ledger.ts";

export interface OwnMigrations {
  /** The folder of the numbered files. */
  readonly directory: string;
  /** Of this program. */
  readonly version: string;
}

/** The lines of a report, not its pages. */
const NAMED = 5;

/** In the order in which an operator would mend them. */
export async function findRefusals(
  db: Db,
  tables: readonly TableShape[],
  citus: CitusState,
  migrations: OwnMigrations,
): Promise<string[]> {
  const spread = tables.map(({ name }) => name).filter((name) => placeOf(name).kind !== "local");
  const rights = await readRights(db, spread);
  return [
    ...(rights.standby ? ["this is a standby: lead DATABASE_URL to the primary"] : []),
    ...(citus.version === null ? [] : await coordinatorMistakes(db)),
    ...(rights.superuser
      ? [
          `the role ${rights.role} is a superuser, whom no revoked right binds, so that rows of the ledger could be changed: let the tables belong to a role that is none, and put that one into DATABASE_URL`,
        ]
      : []),
    ...(rights.foreign.length > 0
      ? [
          `${rights.foreign.slice(0, NAMED).join(", ")}${rights.foreign.length > NAMED ? " …" : ""} do not belong to the role ${rights.role}: only their owner may spread them`,
        ]
      : []),
    ...(await migrationMistakes(db, migrations)),
    ...(await gatewaysAlive(db)),
  ];
}

async function coordinatorMistakes(db: Queryable): Promise<string[]> {
  const { coordinator, listed, workers } = await readCoordinator(db);
  if (!coordinator && listed)
    return ["this is not the coordinator: lead DATABASE_URL to it, not to a worker"];
  return [
    ...(listed ? [] : ["the coordinator does not know itself: run citus_set_coordinator_host"]),
    ...(workers > 0 ? [] : ["there is no active worker: run citus_add_node for each"]),
  ];
}

async function migrationMistakes(db: Queryable, ours: OwnMigrations): Promise<string[]> {
  try {
    const { missing, ahead } = await lookAtMigrations(db, ours);
    if (ahead.length > 0)
      return [
        `the database has migrations of a newer version (${ahead.join(", ")}), whose tables this one (${ours.version}) does not know: run the command of that version`,
      ];
    return missing.length === 0
      ? []
      : [`migrations are missing: ${missing.map(({ name }) => name).join(", ")}`];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/** Also while it runs: nothing keeps one from being started. */
export async function gatewaysAlive(q: Queryable): Promise<string[]> {
  const versions = await versionsRunning(q);
  if (versions.length === 0) return [];
  return [
    `${versions.length} serving processes are at work (version ${[...new Set(versions)].join(", ")}): stop every gateway first, on every machine`,
  ];
}

/** Only exact while no gateway works. */
export async function booksRefusals(db: Db): Promise<string[]> {
  const { mismatches } = await verifyLedger(db);
  if (mismatches.length === 0) return [];
  return [
    `the books do not agree in ${mismatches.length} places before anything is moved: tollgate ledger verify names them`,
  ];
}
