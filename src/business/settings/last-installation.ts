/**
 * What visitors are shown of the settings, also while the database is silent: then as it was when it
 * last answered.
 */
import type { Installation } from "../../contract/panel/installation.ts";
import { DEFAULT_INSTALLATION } from "./default-installation.ts";
import { readInstallation, type InstallationDeps } from "./read-installation.ts";

export function createLastInstallation(
  deps: InstallationDeps & { onError(error: unknown): void },
): () => Promise<Installation> {
  let last = DEFAULT_INSTALLATION;
  return async () => {
    try {
      last = await readInstallation(deps);
    } catch (error) {
      deps.onError(error);
    }
    return last;
  };
}
