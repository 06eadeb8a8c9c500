/**
 * Work that may take its time in the database: on a connection of its own, broken off when the
 * process stops.
 */
import { openDatabase, type Db } from "../../db/database.ts";
import { breakOff } from "../../business/operate/verifications.store.ts";
import { repeat, type Repeater } from "../../process/repeat.ts";
import type { Parts } from "../parts.ts";

export interface PatientWork {
  /** For the log, and for the operator who looks at the database's connections. */
  readonly name: string;
  readonly pauseMs: number;
  /** Closes what it opens. */
  run(openPatient: () => Db): Promise<void>;
}

export function patientWork(
  { db, databaseUrl, ownerId, onError }: Parts,
  { name, pauseMs, run }: PatientWork,
): Repeater {
  // PostgreSQL keeps 63 characters of it.
  const applicationName = `tollgate ${name} ${ownerId}`;
  let stopping = false;
  const failure = `${name} failed`;
  const tell = (what: string, error: unknown): void => {
    // What is broken off at a stop is no news.
    if (!stopping) onError(what, error);
  };
  const openPatient = (): Db =>
    openDatabase({
      url: databaseUrl,
      poolSize: 1,
      applicationName,
      onError: (error) => tell(failure, error),
    });
  const working = repeat(tell, { [failure]: [pauseMs, () => run(openPatient)] });
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
