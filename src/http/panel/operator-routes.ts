/**
 * What the business itself sees and does: the panel's routes for it. To members who are not
 * operators each is the 404 of a path that is not there.
 */
import type { Route } from "../route.ts";
import { operatorAccountsRoutes } from "./operator/accounts-routes.ts";
import { operatorBusinessRoutes } from "./operator/business-routes.ts";
import { operatorCatalogueRoutes } from "./operator/catalogue-routes.ts";
import { operatorPaymentRoutes } from "./operator/payment-routes.ts";
import { operatorUpstreamRoutes } from "./operator/upstream-routes.ts";
import { operatorWorkRoutes } from "./operator/work-routes.ts";
import { operatorSettingsRoutes } from "./operator/settings-routes.ts";
import type { OperatorRouteDeps } from "./operator/operator-route-deps.ts";

export function operatorRoutes(deps: OperatorRouteDeps): Route[] {
  return [
    ...operatorAccountsRoutes(deps),
    ...operatorWorkRoutes(deps),
    ...operatorCatalogueRoutes(deps),
    ...operatorBusinessRoutes(deps),
    ...operatorPaymentRoutes(deps),
    ...operatorUpstreamRoutes(deps),
    ...operatorSettingsRoutes(deps),
  ];
}
