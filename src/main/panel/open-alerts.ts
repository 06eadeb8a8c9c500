/** Spend alerts: put together for the panel. */
import type { AlertDeps } from "../../business/alerts/alert-deps.ts";
import type { ManageDeps } from "../../business/alerts/manage-alerts.ts";
import { createSeal } from "../../kernel/seal.ts";
import { checkUrl } from "../../net/check-url.ts";
import { countBy } from "../../http/count-by.ts";
import type { PanelPart, PanelWorkDeps } from "./panel-deps.ts";

export type AlertParts = Pick<
  PanelWorkDeps,
  "config" | "db" | "clock" | "metrics" | "sessionSecret" | "baseUrl"
>;

export function openAlerts(deps: AlertParts): PanelPart<ManageDeps> {
  return {
    routeDeps: {
      ...alertDeps(deps, () => undefined),
      checkUrl: (text) => checkUrl(text, { allow: deps.config.fetchAllow }),
    },
    close: async () => undefined,
  };
}

/** For the code that looks for crossings; tells how many alerts fired here. */
export function watchedAlertDeps(deps: AlertParts): AlertDeps {
  const fired = countBy(deps.metrics, {
    name: "alerts_fired",
    help: "Spend alerts that fired, by kind.",
    label: "kind",
  });
  return alertDeps(deps, fired);
}

function alertDeps(
  { db, clock, sessionSecret, baseUrl }: AlertParts,
  onFired: AlertDeps["onFired"],
): AlertDeps {
  return { db, clock, seal: createSeal(sessionSecret), baseUrl, onFired };
}
