/** An account: its money, keys, requests and models: put together for the panel. */
import type { AccountUseCases } from "../../http/panel/account-routes.ts";
import type { PanelDeps, PanelPart } from "./panel-deps.ts";

export function openAccount(_deps: PanelDeps): PanelPart<AccountUseCases> {
  return { useCases: {}, close: async () => undefined };
}
