/** Top-ups: put together for the panel. */
import type { BillingUseCases } from "../../http/panel/billing-routes.ts";
import type { PanelDeps, PanelPart } from "./panel-deps.ts";

export function openBilling(_deps: PanelDeps): PanelPart<BillingUseCases> {
  return { useCases: {}, close: async () => undefined };
}
