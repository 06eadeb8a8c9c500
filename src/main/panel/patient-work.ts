/**
 * Work that may take its time in the database: on a connection of its own, broken off when the
 * process stops.
 */
import { openDatabase, type Db } from "../../db/database.ts";
import { breakOff } from "../../business/operate/verifications.store.ts";
import { every } from "../every.ts";
import type { PanelWorkDeps } from "./panel-deps.ts";

export interface PatientWork {
  /** For the log, and for the operator who looks at the database's connections. */
  readonly name: string;
  readonly pauseMs: number;
  /** Closes what it opens. */
  run(openPatient: () => Db): Promise<void>;
}

export function patientWork(
  {
    db,
    databaseUrl,
    ownerId,
    onError,
  }: Pick<PanelWorkDeps, "databaseUrl" | "db" | "onError" | "ownerId">,
  { name, pauseMs, run }: PatientWork,
): { stop(): Promise<void> } {
  // PostgreSQL keeps 63 characters of it.
  const applicationName = `tollgate ${name} ${ownerId}`;
  let stopping = false;
  const tell = (error: unknown): void => {
    // What is broken off at a stop is no news.
    if (!stopping) onError(`${name} failed`, error);
  };
  const openPatient = (): Db =>
    openDatabase({ url: databaseUrl, poolSize: 1, applicationName, onError: tell });
  const working = every(pauseMs, () => run(openPatient), tell);
  return {
    async stop() {
      stopping = true;
      await breakOff(db, applicationName).catch((error: unknown) =>
        onError(`${name} could not be broken off`, error),
      );
      await working.stop();
    },
  };
}
