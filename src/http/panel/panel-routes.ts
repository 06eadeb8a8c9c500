/** Every route of the panel: its own API under /panel/api, for sessions and never for keys. */
import type { Route } from "../route.ts";
import { accountRoutes } from "./account-routes.ts";
import type { AccountUseCases } from "./account-routes.ts";
import { alertsRoutes } from "./alerts-routes.ts";
import type { AlertsUseCases } from "./alerts-routes.ts";
import { billingRoutes } from "./billing-routes.ts";
import type { BillingUseCases } from "./billing-routes.ts";
import { membersRoutes } from "./members-routes.ts";
import type { MembersUseCases } from "./members-routes.ts";
import { operatorRoutes } from "./operator-routes.ts";
import type { OperatorUseCases } from "./operator-routes.ts";
import { playgroundRoutes } from "./playground-routes.ts";
import type { PlaygroundUseCases } from "./playground-routes.ts";

export interface PanelUseCases {
  readonly members: MembersUseCases;
  readonly account: AccountUseCases;
  readonly playground: PlaygroundUseCases;
  readonly billing: BillingUseCases;
  readonly alerts: AlertsUseCases;
  readonly operator: OperatorUseCases;
}

export function panelRoutes(useCases: PanelUseCases): Route[] {
  return [
    ...membersRoutes(useCases.members),
    ...accountRoutes(useCases.account),
    ...playgroundRoutes(useCases.playground),
    ...billingRoutes(useCases.billing),
    ...alertsRoutes(useCases.alerts),
    ...operatorRoutes(useCases.operator),
  ];
}
