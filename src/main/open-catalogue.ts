/**
 * Wires the catalogue in force: read from the database, with a log line for every version that
 * comes or cannot be used.
 */
import {
  createLiveCatalogue,
  type CurrentCatalogue,
  type LiveCatalogue,
} from "../catalogue/live-catalogue.ts";
import { newestVersion } from "../catalogue/store.ts";
import type { Parts } from "./parts.ts";

export function openCatalogue({
  db,
  env,
  log,
  metrics,
  onError,
  compiled,
}: Pick<Parts, "db" | "env" | "log" | "metrics" | "onError"> & {
  readonly compiled?: CurrentCatalogue | null;
}): Promise<LiveCatalogue> {
  return createLiveCatalogue({
    load: (above) => newestVersion(db, above),
    env,
    ...(compiled === undefined ? {} : { compiled }),
    onChanged: (version) => log.info({ version }, "a new catalogue version is in force"),
    onRejected(version, mistakes) {
      metrics.suspicious("catalogue_rejected");
      log.error(
        { version, mistakes },
        "a catalogue version cannot be used; the one before it stays in force",
      );
    },
    onError: (error) => onError("the catalogue could not be read", error),
  });
}
