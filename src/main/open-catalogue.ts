/**
 * Wires the catalogue in force: read from the database, with a log line for every version that
 * comes or cannot be used.
 */
import { createLiveCatalogue, type LiveCatalogue } from "../catalogue/live-catalogue.ts";
import { newestVersion } from "../catalogue/store.ts";
import type { Db } from "../db/database.ts";
import type { Metrics } from "../http/metrics.ts";
import type { Environment } from "../config/config.ts";
import type { Log } from "../log/log.ts";

export interface CatalogueDeps {
  readonly db: Db;
  /** Holds the values that the catalogue interpolates and names as credentials. */
  readonly env: Environment;
  readonly log: Log;
  readonly metrics: Pick<Metrics, "suspicious">;
  onError(what: string): (error: unknown) => void;
}

export function openCatalogue({
  db,
  env,
  log,
  metrics,
  onError,
}: CatalogueDeps): Promise<LiveCatalogue> {
  return createLiveCatalogue({
    load: (above) => newestVersion(db, above),
    env,
    onChanged: (version) => log.info({ version }, "a new catalogue version is in force"),
    onRejected(version, mistakes) {
      metrics.suspicious("catalogue_rejected");
      log.error(
        { version, mistakes },
        "a catalogue version cannot be used; the one before it stays in force",
      );
    },
    onError: onError("the catalogue could not be read"),
  });
}
