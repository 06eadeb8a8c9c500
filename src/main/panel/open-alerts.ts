/** Spend alerts: put together for the panel. */
import { changeAlertSecret, readAlertSecret } from "../../business/alerts/alert-secret.ts";
import type { AlertDeps } from "../../business/alerts/alert-deps.ts";
import { listAlertDeliveries } from "../../business/alerts/list-alert-deliveries.ts";
import {
  changeAlert,
  createAlert,
  deleteAlert,
  listAlerts,
  MOST_RULES,
  testAlert,
  type ManageDeps,
} from "../../business/alerts/manage-alerts.ts";
import type { AlertsUseCases } from "../../http/panel/alerts-routes.ts";
import { createSeal } from "../../kernel/seal.ts";
import { checkUrl } from "../../net/check-url.ts";
import { countBy } from "../count-by.ts";
import type { PanelPart, PanelWorkDeps } from "./panel-deps.ts";

export type AlertParts = Pick<
  PanelWorkDeps,
  "config" | "db" | "clock" | "metrics" | "sessionSecret" | "baseUrl"
>;

export function openAlerts(deps: AlertParts): PanelPart<AlertsUseCases> {
  const { config, db } = deps;
  const manage: ManageDeps = {
    ...alertDeps(deps, () => undefined),
    checkUrl: (text) => checkUrl(text, { allow: config.fetchAllow }),
  };
  return {
    useCases: {
      mostAlerts: MOST_RULES,
      listAlerts: (accountId) => listAlerts(manage, accountId),
      createAlert: (accountId, wish) => createAlert(manage, accountId, wish),
      changeAlert: (accountId, alertId, change) => changeAlert(manage, accountId, alertId, change),
      deleteAlert: (accountId, alertId) => deleteAlert(manage, accountId, alertId),
      testAlert: (accountId, alertId) => testAlert(manage, accountId, alertId),
      listAlertDeliveries: (accountId, request) => listAlertDeliveries(db, accountId, request),
      readAlertSecret: (accountId) => readAlertSecret(manage, accountId),
      changeAlertSecret: (accountId) => changeAlertSecret(manage, accountId),
    },
    close: async () => undefined,
  };
}

/** For the code that looks for crossings; tells how many alerts fired here. */
export function watchedAlertDeps(deps: AlertParts): AlertDeps {
  const fired = countBy();
  deps.metrics.watch({
    name: "alerts_fired",
    help: "Spend alerts that fired, by kind.",
    label: "kind",
    read: () => fired.counts,
  });
  return alertDeps(deps, (kind) => fired.add(kind));
}

function alertDeps(
  { db, clock, sessionSecret, baseUrl }: AlertParts,
  onFired: AlertDeps["onFired"],
): AlertDeps {
  return { db, clock, seal: createSeal(sessionSecret), baseUrl, onFired };
}
