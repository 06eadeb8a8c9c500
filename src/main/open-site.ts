/** Composition of the public pages: what is sold, in whose name, how it fares, in which colours. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { relyingPartyOf } from "../business/members/relying-party.ts";
import { createServiceStatus, type ServiceStatus } from "../business/operate/service-status.ts";
import { listAccountModels } from "../business/panel/account/list-account-models.ts";
import { createLastInstallation } from "../business/settings/last-installation.ts";
import type { CurrentCatalogue } from "../catalogue/live-catalogue.ts";
import type { PanelModelList } from "../contract/panel/panel-model.ts";
import { askBriefly } from "../http/site/ask-briefly.ts";
import type { SiteParts } from "../http/site/site-routes.ts";
import { PROJECT_ROOT } from "../process/project-root.ts";
import type { Parts } from "./parts.ts";

/** Pages are opened far more often than a brand changes. */
const INSTALLATION_FOR_MS = 1_000;
const STATUS_FOR_MS = 60_000;

export function openSite({ db, clock, catalogue, baseUrl, onError }: Parts): SiteParts {
  const readStatus = createServiceStatus({ db, clock, catalogue });
  let last: ServiceStatus | null = null;
  return {
    models: modelsInForce(catalogue),
    installation: askBriefly(
      clock,
      INSTALLATION_FOR_MS,
      createLastInstallation({
        db,
        clock,
        relyingParty: () => relyingPartyOf(baseUrl()),
        onError: (error) => onError("the installation's settings could not be read", error),
      }),
    ),
    status: askBriefly(clock, STATUS_FOR_MS, async () => {
      try {
        last = await readStatus();
      } catch (error) {
        onError("the public status could not be read", error);
      }
      return last;
    }),
    // The panel's own; without it pages are plain, and whole.
    tokens: readProjectFile("panel", "src", "styles", "tokens.css"),
    changelog: readProjectFile("CHANGELOG.md"),
  };
}

/** Written anew for each catalogue, not for each reader. */
function modelsInForce(catalogue: { current(): CurrentCatalogue }): () => PanelModelList {
  let made: { readonly of: CurrentCatalogue; readonly list: PanelModelList } | null = null;
  return () => {
    const of = catalogue.current();
    if (made?.of !== of) made = { of, list: listAccountModels(of) };
    return made.list;
  };
}

/** Empty where it is not there. */
function readProjectFile(...names: readonly string[]): string {
  const path = join(PROJECT_ROOT, ...names);
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}
