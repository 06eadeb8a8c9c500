/** Every route of the panel: its own API under /panel/api, for sessions and never for keys. */
import type { Route } from "../route.ts";
import { accountRoutes } from "./account-routes.ts";
import type { AccountRouteDeps } from "./account-routes.ts";
import { alertsRoutes } from "./alerts-routes.ts";
import type { ManageDeps } from "../../business/alerts/manage-alerts.ts";
import { billingRoutes } from "./billing-routes.ts";
import type { BillingUseCases } from "./billing-routes.ts";
import { membersRoutes } from "./members-routes.ts";
import type { MembersRouteDeps } from "./members-routes.ts";
import { operatorRoutes } from "./operator-routes.ts";
import type { OperatorRouteDeps } from "./operator/operator-route-deps.ts";
import { playgroundRoutes } from "./playground-routes.ts";
import type { PlaygroundUseCases } from "./playground-routes.ts";

export interface PanelRouteDeps {
  readonly members: MembersRouteDeps;
  readonly account: AccountRouteDeps;
  readonly playground: PlaygroundUseCases;
  readonly billing: BillingUseCases;
  readonly alerts: ManageDeps;
  readonly operator: OperatorRouteDeps;
}

export function panelRoutes(deps: PanelRouteDeps): Route[] {
  return [
    ...membersRoutes(deps.members),
    ...accountRoutes(deps.account),
    ...playgroundRoutes(deps.playground),
    ...billingRoutes(deps.billing),
    ...alertsRoutes(deps.alerts),
    ...operatorRoutes(deps.operator),
  ];
}
