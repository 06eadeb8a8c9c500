/**
 * What visitors are shown of the settings, also while the database is silent: then as it was when it
 * last answered.
 */
import type { Installation } from "../../contract/panel/installation.ts";
import type { Queryable } from "../../db/database.ts";
import type { Clock } from "../../kernel/clock.ts";
import { DEFAULT_INSTALLATION } from "./default-installation.ts";
import { readInstallation } from "./read-installation.ts";

export function createLastInstallation(deps: {
  readonly db: Queryable;
  readonly clock: Clock;
  onError(error: unknown): void;
}): () => Promise<Installation> {
  let last = DEFAULT_INSTALLATION;
  return async () => {
    try {
      last = await readInstallation(deps.db, deps.clock);
    } catch (error) {
      deps.onError(error);
    }
    return last;
  };
}
