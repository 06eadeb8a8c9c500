/** Spend alerts: put together for the panel. */
import type { AlertsUseCases } from "../../http/panel/alerts-routes.ts";
import type { PanelDeps, PanelPart } from "./panel-deps.ts";

export function openAlerts(_deps: PanelDeps): PanelPart<AlertsUseCases> {
  return { useCases: {}, close: async () => undefined };
}
