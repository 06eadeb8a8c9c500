/** What the business itself sees and does: put together for the panel. */
import type { OperatorUseCases } from "../../http/panel/operator-routes.ts";
import type { PanelDeps, PanelPart } from "./panel-deps.ts";

export function openOperator(_deps: PanelDeps): PanelPart<OperatorUseCases> {
  return { useCases: {}, close: async () => undefined };
}
